import CurlConnection
import Foundation
import HTTPSemantics
import Locking
import Scheduling

/// Holds a manager's operations back beyond the limits of their origin and group, while a group is
/// suspended, and while there is no network; lets them go by priority and age.
///
/// An operation asks once its dependencies have ended, so that one that waits for another never keeps that
/// one's place. One that gets no place when it is enqueued is held here, and enters the queue when it may
/// start: Foundation looks through all in a queue that are not ready, at each change.
///
/// ## Concurrency
/// Call from: any thread, also under an operation's lock. Lock: one around everything. Calls out on: a queue
/// of its own, without the lock: `Admission.announce` and `Held.add`.
final class AdmissionGate: Sendable {
    /// Why an operation is held.
    enum Hold {
        case offline, groupSuspended, groupLimit, originLimit
    }

    enum Key: Hashable {
        case network, group(String), origin(String)
    }

    typealias Places = Limiter<Key, Admission>

    struct State {
        var originLimit: Int?
        /// Whether the manager is gone: nobody lets a suspended group go on any more.
        var isClosed = false
        var clock = NetworkClock.system
        /// Ages are those at the start: the next place may be a while in use yet.
        var places = Places(.rank, ageing: 5_000_000_000, measuresUse: true)
        /// Suspended while there is none.
        let network: Places.Lane
        /// Those that are not in the queue yet, by their number.
        var held: [UInt64: Admission] = [:]
        var count: UInt64 = 0

        init() {
            network = places.keptLane(.network)
        }
    }

    private let state = Locked(State())
    // Its threads are shared with user-interactive blocks alone.
    private let queue = DispatchQueue(
        label: "com.alamofire.networking.operation.admission", qos: .userInteractive)

    // MARK: Limits

    var originLimit: Int? {
        get { state.withLock { $0.originLimit } }
        set {
            let limit = newValue.map { max(1, $0) }
            change { state in
                state.originLimit = limit
                return state.places.setUsualLimit(at: state.clock.nanoseconds) { key in
                    if case .origin = key { limit } else { nil }
                }
            }
        }
    }

    /// Seconds after which who waits counts as of the next class.
    var ageing: TimeInterval {
        get { state.withLock { Double($0.places.ageing) / 1e9 } }
        set {
            let ageing = newValue > 0 && newValue < 1e9 ? UInt64(newValue * 1e9) : 0
            state.withLock { $0.places.ageing = ageing }
        }
    }

    var clock: NetworkClock {
        get { state.withLock { $0.clock } }
        set { state.withLock { $0.clock = newValue } }
    }

    var isOffline: Bool {
        get { state.withLock { $0.network.isSuspended } }
        set {
            change { state in
                state.places.setSuspended(newValue, state.network, at: state.clock.nanoseconds)
            }
        }
    }

    func limit(ofGroup group: String) -> Int? {
        state.withLock { $0.places.knownLane(.group(group))?.limit }
    }

    func setLimit(_ limit: Int?, ofGroup group: String) {
        change { state in
            state.places.setLimit(
                limit.map { max(1, $0) }, of: .group(group), at: state.clock.nanoseconds)
        }
    }

    func isSuspended(_ group: String) -> Bool {
        state.withLock { $0.isSuspended(group) }
    }

    func setSuspended(_ isSuspended: Bool, _ group: String) {
        change { state in
            state.places.setSuspended(
                isSuspended, state.places.lane(of: .group(group)), at: state.clock.nanoseconds)
        }
    }

    // MARK: Operations

    func nextNumber() -> UInt64 {
        state.withLock { state in
            state.count += 1
            return state.count
        }
    }

    /// Those that are not in the queue yet, with their numbers, in order. Whoever wants to see each asks here first,
    /// and then the queue: on its way one may be in both.
    ///
    var heldOperations: [(number: UInt64, operation: Operation)] { heldOperations(of: nil) }

    /// - Parameter queue: theirs; nil: any.
    func heldOperations(
        of queue: OperationQueue?
    ) -> [(number: UInt64, operation: Operation)] {
        let held = state.withLock { state in
            state.held.values.filter { queue == nil || $0.held?.queue === queue }
                .compactMap { admission in
                    admission.held.map { (number: admission.number, operation: $0.operation) }
                }
        }
        return held.sorted { $0.number < $1.number }
    }

    func mayStart(_ admission: Admission) -> Bool {
        let (mayStart, isStuck) = state.withLock { state in
            state.ask(admission)
            return (admission.state.hasPlace || admission.state == .left, state.isStuck(admission))
        }
        if isStuck { cancel([admission]) }
        return mayStart
    }

    func mayEnter(_ admission: Admission, or held: Admission.Held) -> Bool {
        state.withLock { state in
            state.ask(admission)
            guard admission.state == .waiting else { return true }
            admission.held = held
            state.held[admission.number] = admission
            return false
        }
    }

    func letGo(_ admission: Admission) {
        if state.withLock({ _ in admission.held != nil }) { announce([admission]) }
    }

    func leave(_ admission: Admission) {
        let (next, held) = state.withLock { state in
            let held = state.dropHeld(admission)
            return (state.leave(admission), held)
        }
        announce(next)
        // Released after the lock, since an operation's end may call this.
        withExtendedLifetime(held) {}
    }

    func release(_ admission: Admission) {
        announce(state.withLock { $0.leave(admission) })
    }

    func withdraw(_ admission: Admission) {
        let next = state.withLock { state in
            var next = state.withdraw(admission)
            // What waits for something else than a place does so in the queue.
            if admission.held != nil { next.append(admission) }
            return next
        }
        announce(next)
    }

    func begin(_ admission: Admission) {
        announce(state.withLock { $0.begin(admission) })
    }

    /// The manager is gone: nobody says any more that there is a network, or lets a suspended group go on. What
    /// waits for the first tries, and what waits for the second, now or later, is cancelled.
    func close() {
        isOffline = false
        cancel(
            state.withLock { state in
                state.isClosed = true
                return state.refuseSuspended()
            })
    }

    private func cancel(_ admissions: [Admission]) {
        if admissions.isEmpty { return }
        queue.async { for admission in admissions { admission.cancel() } }
    }

    /// Why an operation waits; nil where it does not.
    func hold(_ admission: Admission) -> Hold? {
        state.withLock { state in
            guard admission.state == .waiting, let slot = admission.slot else { return nil }
            switch state.places.reason(of: slot) {
            case .suspended(.network): return .offline
            case .suspended(.group): return .groupSuspended
            case .limit(.group): return .groupLimit
            default: return .originLimit
            }
        }
    }

    var looks: Int { state.withLock { $0.places.looks } }

    private func change(_ change: (inout State) -> [Places.Slot]) {
        announce(state.withLock { AdmissionGate.State.admit(change(&$0)) })
    }

    private func announce(_ admissions: [Admission]) {
        if admissions.isEmpty { return }
        queue.async { [self] in
            for admission in admissions {
                guard let held = state.withLock({ $0.takeHeld(admission) }) else {
                    admission.announce()
                    continue
                }
                held.add()
                // Not before: it would be in neither for a moment.
                _ = state.withLock { $0.dropHeld(admission) }
            }
        }
    }
}
