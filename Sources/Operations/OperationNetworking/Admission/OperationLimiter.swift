import CurlConnection
import Foundation
import HTTPSemantics
import Locking
import Scheduling

/// Gives the operations of a queue their slots: by its width, by the limits of their origin and group, while no
/// group is suspended, and while there is a network; by priority and age.
///
/// An operation asks when it is enqueued, or at its start where it waits for others until then, so that it never
/// keeps the slot of one that it waits for. It waits for its slot in `start`, where Foundation's queue has it in
/// its list at no cost.
///
/// ## Concurrency
/// Call from: any thread, also under an operation's lock. Lock: one around everything. Calls out on: a queue
/// of its own, without the lock: `Admission.announce` and `Admission.cancel`.
final class OperationLimiter: Sendable {
    /// Why an operation has no slot.
    enum Hold {
        case offline, groupSuspended, groupLimit, originLimit, width
    }

    enum Key: Hashable {
        /// Whatever is in the queue.
        case all
        /// Of a manager, by its number.
        case network(UInt64)
        case group(String), origin(String)
    }

    typealias Slots = Limiter<Key, Admission>

    /// Who has all wait.
    struct Stops: OptionSet {
        let rawValue: UInt8

        /// The limiter is new: what is in the queue has not asked yet.
        static let isNew = Stops(rawValue: 1)
        static let isSuspended = Stops(rawValue: 2)
        /// The width is 0.
        static let hasNoWidth = Stops(rawValue: 4)
    }

    struct State {
        var originLimit: Int?
        /// Whether the managers are gone: nobody lets a suspended group go on any more.
        var isClosed = false
        var stops: Stops = []
        var clock = NetworkClock.system
        /// Ages are those at the start: the next slot may be a while in use yet.
        var slots = Slots(.rank, ageing: 5_000_000_000, measuresUse: true)
        /// Of the managers, by their numbers; suspended while there is none.
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

    /// Seconds after which who waits counts as of the next class.
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

    /// A manager is gone: nobody says any more that there is a network. What waits for it tries.
    func forget(_ manager: UInt64) {
        change { state in
            guard let network = state.networks.removeValue(forKey: manager) else { return [] }
            return state.slots.setSuspended(false, network, at: state.clock.nanoseconds)
        }
    }

    /// The last manager is gone: nobody lets a suspended group go on. What waits for that, now or later, is
    /// cancelled.
    func close() {
        cancel(
            state.withLock { state in
                state.isClosed = true
                return state.refuseSuspended()
            })
    }

    /// There is a manager again.
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

    func leave(_ admission: Admission) {
        announce(state.withLock { $0.leave(admission) })
    }

    func rest(_ admission: Admission) {
        announce(state.withLock { $0.rest(admission) })
    }

    func withdraw(_ admission: Admission) {
        announce(state.withLock { $0.withdraw(admission) })
    }

    func begin(_ admission: Admission) {
        announce(state.withLock { $0.begin(admission) })
    }

    func move(_ admission: Admission, to priority: TransferPriority) {
        announce(state.withLock { $0.move(admission, to: priority) })
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

    /// How many origins, groups and such are in use.
    var resourceCount: Int { state.withLock { $0.slots.resourceCount } }

    private func change(_ change: (inout State) -> [Slots.Slot]) {
        announce(state.withLock { State.admit(change(&$0)) })
    }

    func announce(_ admissions: [Admission]) {
        if admissions.isEmpty { return }
        queue.async { for admission in admissions { admission.announce() } }
    }
}
