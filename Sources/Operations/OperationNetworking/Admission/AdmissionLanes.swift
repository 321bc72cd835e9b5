import HTTPSemantics
import Scheduling

// What the gate does under its lock.

extension AdmissionGate.State {
    /// What is to be put into the queue; nil where somebody is about it already.
    mutating func takeHeld(_ admission: Admission) -> Admission.Held? {
        guard !admission.isEntering, let held = admission.held else { return nil }
        admission.isEntering = true
        return held
    }

    mutating func dropHeld(_ admission: Admission) -> Admission.Held? {
        held[admission.number] = nil
        defer { admission.held = nil }
        return admission.held
    }

    func isSuspended(_ group: String) -> Bool {
        places.knownLane(.group(group))?.isSuspended ?? false
    }

    /// Whether it waits for what nobody will do.
    func isStuck(_ admission: Admission) -> Bool {
        isClosed && admission.state == .waiting && admission.group.map(isSuspended) == true
    }

    /// Notes who has a place now.
    static func admit(_ slots: [AdmissionGate.Places.Slot]) -> [Admission] {
        slots.compactMap { slot in
            let admission = slot.waiter
            // Each would keep the other.
            slot.waiter = nil
            admission?.state = .admitted
            return admission
        }
    }

    /// - Returns: who gets a place instead.
    mutating func leave(_ admission: Admission) -> [Admission] {
        admission.state = .left
        guard let slot = admission.slot else { return [] }
        admission.slot = nil
        return Self.admit(places.leave(slot, at: clock.nanoseconds))
    }

    /// - Returns: who gets a place instead.
    mutating func withdraw(_ admission: Admission) -> [Admission] {
        guard admission.state == .waiting || admission.state == .admitted else { return [] }
        let next = leave(admission)
        admission.state = .notReady
        return next
    }

    /// - Returns: who gets a place because it no longer waits.
    mutating func begin(_ admission: Admission) -> [Admission] {
        if admission.state == .left || admission.state == .begun { return [] }
        let next = admission.state == .waiting ? leave(admission) : []
        if admission.slot == nil {
            admission.slot = places.take(
                needs(of: admission), admission.priority, at: clock.nanoseconds)
        }
        admission.state = .begun
        return next
    }

    /// Those that wait in a suspended group are refused.
    mutating func refuseSuspended() -> [Admission] {
        let all = places.dismiss(at: clock.nanoseconds) { $0.isSuspended }
        for admission in all {
            admission.slot = nil
            admission.state = .refused
        }
        return all
    }

    /// Asks for a place, once.
    mutating func ask(_ admission: Admission) {
        guard admission.state == .notReady else { return }
        let slot = places.ask(
            needs(of: admission), admission.priority, admission, at: clock.nanoseconds)
        admission.slot = slot
        admission.state = .waiting
        if slot.isHeld { _ = Self.admit([slot]) }
    }

    /// In the order in which it is said what keeps it waiting.
    private mutating func needs(of admission: Admission) -> AdmissionGate.Places.Needs {
        typealias Need = AdmissionGate.Places.Need
        let origin = Need(places.lane(of: .origin(admission.origin)))
        let group = admission.group.map { Need(places.lane(of: .group($0))) }
        let network = admission.isLocal ? nil : Need(self.network, weight: 0)
        guard let first = network ?? group else { return .init(origin) }
        guard network != nil, let group else { return .init(first, origin) }
        return .init(first, group, origin)
    }
}
