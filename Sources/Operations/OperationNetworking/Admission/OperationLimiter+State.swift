import HTTPSemantics
import Scheduling

// What the limiter does under its lock.

extension OperationLimiter.State {
    mutating func setWidth(_ width: Int) -> [OperationLimiter.Slots.Slot] {
        let limit = width < 0 ? nil : max(1, width)
        return slots.setLimit(limit, of: .all, at: clock.nanoseconds)
            + setStop(.hasNoWidth, width == 0)
    }

    mutating func setStop(
        _ stop: OperationLimiter.Stops, _ isOn: Bool
    ) -> [OperationLimiter.Slots.Slot] {
        if isOn { stops.insert(stop) } else { stops.remove(stop) }
        return slots.setSuspended(
            !stops.isEmpty, slots.resource(of: .all), at: clock.nanoseconds)
    }

    mutating func network(of manager: UInt64) -> OperationLimiter.Slots.Resource {
        if let known = networks[manager] { return known }
        let new = slots.keptResource(.network(manager))
        networks[manager] = new
        return new
    }

    func isSuspended(_ group: String) -> Bool {
        slots.knownResource(.group(group))?.isSuspended ?? false
    }

    /// Whether it waits for what nobody will do.
    func isStuck(_ admission: Admission) -> Bool {
        isClosed && admission.state == .waiting && admission.needs.group.map(isSuspended) == true
    }

    /// Notes who has a slot now.
    static func admit(_ slots: [OperationLimiter.Slots.Slot]) -> [Admission] {
        slots.compactMap { slot in
            let admission = slot.waiter
            // Each would keep the other.
            slot.waiter = nil
            admission?.state = .admitted
            return admission
        }
    }

    /// - Returns: who gets a slot instead.
    mutating func leave(_ admission: Admission) -> [Admission] {
        admission.state = .left
        guard let slot = admission.slot else { return [] }
        admission.slot = nil
        return Self.admit(slots.leave(slot, at: clock.nanoseconds))
    }

    /// - Returns: who gets a slot instead.
    mutating func rest(_ admission: Admission) -> [Admission] {
        guard admission.needs.countsInWidth, admission.state == .begun else {
            return leave(admission)
        }
        // First, so that nobody gets its slot in the queue.
        let all = slots.take(
            .init(.init(slots.resource(of: .all))), admission.priority, at: clock.nanoseconds)
        let next = leave(admission)
        (admission.slot, admission.state) = (all, .resting)
        return next
    }

    /// - Returns: who gets a slot instead.
    mutating func withdraw(_ admission: Admission) -> [Admission] {
        guard admission.state == .waiting || admission.state == .admitted else { return [] }
        let next = leave(admission)
        admission.state = .notReady
        return next
    }

    /// - Returns: who gets a slot because it no longer waits.
    mutating func begin(_ admission: Admission) -> [Admission] {
        switch admission.state {
        case .left, .begun, .resting: return []
        case .notReady, .waiting, .admitted, .refused: break
        }
        let next = admission.state == .waiting ? leave(admission) : []
        if admission.slot == nil {
            admission.slot = slots.take(
                needs(of: admission), admission.priority, at: clock.nanoseconds)
        }
        admission.state = .begun
        return next
    }

    /// Those that wait in a suspended group are refused.
    mutating func refuseSuspended() -> [Admission] {
        let all = slots.dismiss(at: clock.nanoseconds) { resource in
            if case .group = resource.key { resource.isSuspended } else { false }
        }
        for admission in all {
            admission.slot = nil
            admission.state = .refused
        }
        return all
    }

    /// Asks for a slot, once.
    mutating func ask(_ admission: Admission) {
        guard admission.state == .notReady else { return }
        _ = ask(admission, since: clock.nanoseconds)
    }

    private mutating func ask(_ admission: Admission, since: UInt64) -> [Admission] {
        let slot = slots.ask(needs(of: admission), admission.priority, admission, at: since)
        admission.slot = slot
        admission.state = .waiting
        return slot.isHeld ? Self.admit([slot]) : []
    }

    /// It waits in another class, as long as it did.
    ///
    /// - Returns: who gets a slot.
    mutating func move(_ admission: Admission, to priority: TransferPriority) -> [Admission] {
        guard admission.priority != priority else { return [] }
        admission.priority = priority
        guard admission.state == .waiting, let since = admission.since else { return [] }
        return leave(admission) + ask(admission, since: since)
    }

    /// In the order in which it is said what keeps it waiting.
    private mutating func needs(of admission: Admission) -> OperationLimiter.Slots.Needs {
        typealias Need = OperationLimiter.Slots.Need
        let wanted = admission.needs
        let all = wanted.countsInWidth ? Need(slots.resource(of: .all)) : nil
        guard let address = wanted.origin else { return .init(Need(slots.resource(of: .all))) }
        let origin = Need(slots.resource(of: .origin(address)))
        let group = wanted.group.map { Need(slots.resource(of: .group($0))) }
        let network = wanted.network.map { Need(self.network(of: $0), weight: 0) }
        guard let first = network ?? group else { return .init(origin, all) }
        guard network != nil, let group else { return .init(first, origin, all) }
        return .init(first, group, origin, all)
    }
}
