import CurlConnection
import Foundation
import HTTPSemantics
import Locking
import Scheduling

/// Gives the operations of a queue their slots, by priority and age. It applies the queue's width, the limits of
/// origins and groups, suspended groups and a missing network.
///
/// An operation requests its slot when it is enqueued, or, if it has dependencies, when they have ended: it must not
/// have a slot that a dependency needs. Its `start` returns without the slot, and it loads when it has it.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around everything. Calls out on: a queue of its own, without the lock:
/// `Admission.announce` and `Admission.cancel`.
final class OperationLimiter: Sendable {
    /// Why an operation has no slot.
    enum Hold {
        case offline, groupSuspended, groupLimit, originLimit, width
    }

    enum Key: Hashable {
        /// The queue's width.
        case all
        /// By the manager's number.
        case network(UInt64)
        case group(String), origin(String)
    }

    typealias Slots = Limiter<Key, Admission>

    /// Why no operation at all gets a slot.
    struct Stops: OptionSet {
        let rawValue: UInt8

        /// Operations that were in the queue before the limiter have not requested yet.
        static let isNew = Stops(rawValue: 1)
        static let isSuspended = Stops(rawValue: 2)
        /// The width is 0.
        static let hasNoWidth = Stops(rawValue: 4)
    }

    struct State {
        var originLimit: Int?
        /// All managers were released, so that no caller can resume a suspended group.
        var isClosed = false
        var stops: Stops = []
        var clock = NetworkClock.system
        /// It measures how long slots are used, because an operation's age at its start counts, not its present one.
        var slots = Slots(.rank, ageing: 5_000_000_000, measuresUse: true)
        /// By the managers' numbers; suspended while there is no network.
        var networks: [UInt64: Slots.Resource] = [:]
    }

    private let state: Locked<State>
    // Its threads are shared with user-interactive blocks alone.
    private let queue = DispatchQueue(
        label: "com.alamofire.networking.operation.admission", qos: .userInteractive)

    // MARK: Limits

    init(width: Int = -1, stops: Stops = []) {
        var state = State()
        _ = state.setStop(stops, true)
        _ = state.setWidth(width)
        self.state = Locked(state)
    }

    /// Foundation's width: -1 is none, and with 0 nothing starts.
    func setWidth(_ width: Int) {
        change { $0.setWidth(width) }
    }

    func setStop(_ stop: Stops, _ isOn: Bool) {
        change { $0.setStop(stop, isOn) }
    }

    var originLimit: Int? {
        get { state.withLock { $0.originLimit } }
        set {
            let limit = newValue.map { max(1, $0) }
            change { state in
                state.originLimit = limit
                return state.slots.setDefaultLimit(at: state.clock.nanoseconds) { key in
                    if case .origin = key { limit } else { nil }
                }
            }
        }
    }

    /// Seconds after which a waiting operation counts as one of the next priority.
    var ageing: TimeInterval {
        get { state.withLock { Double($0.slots.ageing) / 1e9 } }
        set {
            let ageing = newValue > 0 && newValue < 1e9 ? UInt64(newValue * 1e9) : 0
            state.withLock { $0.slots.ageing = ageing }
        }
    }

    var clock: NetworkClock {
        get { state.withLock { $0.clock } }
        set { state.withLock { $0.clock = newValue } }
    }

    func isOffline(_ manager: UInt64) -> Bool {
        state.withLock { $0.networks[manager]?.isSuspended ?? false }
    }

    func setOffline(_ isOffline: Bool, _ manager: UInt64) {
        change { state in
            let network = state.network(of: manager)
            return state.slots.setSuspended(isOffline, network, at: state.clock.nanoseconds)
        }
    }

    func limit(ofGroup group: String) -> Int? {
        state.withLock { $0.slots.knownResource(.group(group))?.limit }
    }

    func setLimit(_ limit: Int?, ofGroup group: String) {
        change { state in
            state.slots.setLimit(
                limit.map { max(1, $0) }, of: .group(group), at: state.clock.nanoseconds)
        }
    }

    func isSuspended(_ group: String) -> Bool {
        state.withLock { $0.isSuspended(group) }
    }

    func setSuspended(_ isSuspended: Bool, _ group: String) {
        change { state in
            state.slots.setSuspended(
                isSuspended, state.slots.resource(of: .group(group)), at: state.clock.nanoseconds)
        }
    }

    // MARK: Managers

    /// A manager was released, and no longer reports a network. Operations that wait for it try.
    func forget(_ manager: UInt64) {
        change { state in
            guard let network = state.networks.removeValue(forKey: manager) else { return [] }
            return state.slots.setSuspended(false, network, at: state.clock.nanoseconds)
        }
    }

    /// The last manager was released, so that no caller can resume a suspended group. Operations of such a group are
    /// cancelled, now and later.
    func close() {
        cancel(
            state.withLock { state in
                state.isClosed = true
                return state.refuseSuspended()
            })
    }

    /// A manager uses the queue again.
    func open() {
        state.withLock { $0.isClosed = false }
    }

    // MARK: Operations

    func ask(_ admission: Admission) -> Bool {
        let (hasSlot, isStuck) = state.withLock { state in
            state.ask(admission)
            return (admission.state.mayStart, state.isStuck(admission))
        }
        if isStuck { cancel([admission]) }
        return hasSlot
    }

    func mayStart(_ admission: Admission) -> Bool {
        state.withLock { _ in admission.state.mayStart }
    }

    /// - Parameter change: returns the slots that were given.
    func change(_ change: (inout State) -> [Slots.Slot]) {
        announce(state.withLock { State.admit(change(&$0)) })
    }

    private func cancel(_ admissions: [Admission]) {
        if admissions.isEmpty { return }
        queue.async { for admission in admissions { admission.cancel() } }
    }

    /// Why an operation waits; nil where it does not.
    func hold(_ admission: Admission) -> Hold? {
        state.withLock { state in
            guard admission.state == .waiting, let slot = admission.slot else { return nil }
            switch state.slots.reason(of: slot) {
            case .suspended(.network): return .offline
            case .suspended(.group): return .groupSuspended
            case .limit(.group): return .groupLimit
            case .suspended(.all), .limit(.all): return .width
            default: return .originLimit
            }
        }
    }

    var looks: Int { state.withLock { $0.slots.looks } }

    var resourceCount: Int { state.withLock { $0.slots.resourceCount } }

    func announce(_ admissions: [Admission]) {
        if admissions.isEmpty { return }
        queue.async { for admission in admissions { admission.announce() } }
    }
}

// Under the lock. What these return are the slots that were given.
extension OperationLimiter.State {
    typealias Slot = OperationLimiter.Slots.Slot

    mutating func setWidth(_ width: Int) -> [Slot] {
        let limit = width < 0 ? nil : max(1, width)
        return slots.setLimit(limit, of: .all, at: clock.nanoseconds)
            + setStop(.hasNoWidth, width == 0)
    }

    mutating func setStop(
        _ stop: OperationLimiter.Stops, _ isOn: Bool
    ) -> [Slot] {
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

    /// Whether it waits for a group that can no longer be resumed.
    func isStuck(_ admission: Admission) -> Bool {
        isClosed && admission.state == .waiting && admission.needs.group.map(isSuspended) == true
    }

    /// The operations that get slots.
    static func admit(_ slots: [Slot]) -> [Admission] {
        slots.compactMap { slot in
            let admission = slot.waiter
            // They would retain each other.
            slot.waiter = nil
            admission?.state = .admitted
            return admission
        }
    }

    mutating func leave(_ admission: Admission) -> [Slot] {
        admission.state = .left
        guard let slot = admission.slot else { return [] }
        admission.slot = nil
        return slots.leave(slot, at: clock.nanoseconds)
    }

    mutating func waitForRetry(_ admission: Admission) -> [Slot] {
        if admission.state == .waitingForRetry { return [] }
        guard admission.needs.countsInWidth, admission.state == .begun else {
            return leave(admission)
        }
        // First, so that no other operation gets its slot in the width.
        let all = slots.take(
            .init(.init(slots.resource(of: .all))), admission.priority, at: clock.nanoseconds)
        let next = leave(admission)
        (admission.slot, admission.state) = (all, .waitingForRetry)
        return next
    }

    mutating func withdraw(_ admission: Admission) -> [Slot] {
        guard admission.state == .waiting || admission.state == .admitted else { return [] }
        let next = leave(admission)
        admission.state = .notReady
        return next
    }

    mutating func begin(_ admission: Admission) -> [Slot] {
        switch admission.state {
        case .left, .begun, .waitingForRetry: return []
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

    /// - Returns: the operations of suspended groups.
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

    mutating func ask(_ admission: Admission) {
        guard admission.state == .notReady else { return }
        _ = Self.admit(ask(admission, since: clock.nanoseconds))
    }

    private mutating func ask(_ admission: Admission, since: UInt64) -> [Slot] {
        let slot = slots.ask(needs(of: admission), admission.priority, admission, at: since)
        admission.slot = slot
        admission.state = .waiting
        return slot.isHeld ? [slot] : []
    }

    mutating func move(_ admission: Admission, to priority: TransferPriority) -> [Slot] {
        guard admission.priority != priority else { return [] }
        admission.priority = priority
        guard admission.state == .waiting, let since = admission.since else { return [] }
        return leave(admission) + ask(admission, since: since)
    }

    /// In the order in which `hold` looks for the reason.
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
