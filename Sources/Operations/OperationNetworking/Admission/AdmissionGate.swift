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

    /// An origin or a group.
    struct Lane {
        var limit: Int?
        var isSuspended = false
        var inUse = 0
        /// The pairs of which somebody waits.
        var pairs: Set<Pair> = []
        /// For each class the pairs of a group by who is first there, but for those whose origin was found full.
        private(set) var heads: [KeyedHeap<Pair, Turn>] = []
        /// How long its places were in use lately, in nanoseconds.
        private(set) var timeInUse: UInt64 = 0

        var hasRoom: Bool { !isSuspended && inUse < limit ?? .max }
        var isPlain: Bool { limit == nil && !isSuspended && inUse == 0 && pairs.isEmpty }

        /// The pair whose first of a class is the oldest.
        func first(of priority: TransferPriority) -> (pair: Pair, turn: Turn)? {
            heads.isEmpty ? nil : heads[priority.rawValue].first.map { ($0.key, $0.order) }
        }

        /// - Parameter turn: of the pair's first of the class; nil takes the pair out.
        mutating func list(_ pair: Pair, _ priority: TransferPriority, _ turn: Turn?) {
            if heads.isEmpty {
                if turn == nil { return }
                heads = TransferPriority.allCases.map { _ in KeyedHeap() }
            }
            if let turn {
                heads[priority.rawValue].set(pair, turn)
            } else {
                heads[priority.rawValue].remove(pair)
            }
        }

        /// A place was in use for so long. Eight of them make a new mean.
        mutating func note(timeInUse time: UInt64) {
            timeInUse = timeInUse == 0 ? time : timeInUse - timeInUse / 8 + time / 8
        }
    }

    /// Those that nothing tells apart but priority and age.
    struct Pair: Hashable {
        var origin: String
        var group: String?
        var isLocal: Bool
    }

    /// Who goes before whom: the higher rank, then who waits longer.
    struct Turn: Comparable {
        let admission: Admission
        let rank: Int
        let since: UInt64

        init(_ admission: Admission, rank: Int = 0) {
            (self.admission, self.rank, since) = (admission, rank, admission.since)
        }

        static func < (one: Turn, other: Turn) -> Bool {
            (other.rank, one.since, one.admission.number)
                < (one.rank, other.since, other.admission.number)
        }

        static func == (one: Turn, other: Turn) -> Bool {
            one.admission === other.admission && one.rank == other.rank && one.since == other.since
        }
    }

    /// Somebody in a line. One that was withdrawn, and waits again, is there twice for a while.
    struct Waiting {
        let admission: Admission
        let round: UInt32

        var hasLeft: Bool { admission.state != .waiting || admission.round != round }
    }

    struct State {
        var originLimit: Int?
        var isOffline = false
        /// Whether the manager is gone: nobody lets a suspended group go on any more.
        var isClosed = false
        var ageing: UInt64 = 5_000_000_000
        var clock = NetworkClock.system
        var origins: [String: Lane] = [:]
        var groups: [String: Lane] = [:]
        var lines: [Pair: PriorityLine<Waiting>] = [:]
        /// Those that are not in the queue yet, by their number.
        var held: [UInt64: Admission] = [:]
        var count: UInt64 = 0
        /// How often a pair was looked at, for tests.
        var looks = 0
    }

    private let state = Locked(State())
    // Its threads are shared with user-interactive blocks alone.
    private let queue = DispatchQueue(
        label: "com.alamofire.networking.operation.admission", qos: .userInteractive)

    // MARK: Limits

    var originLimit: Int? {
        get { state.withLock { $0.originLimit } }
        set { change { $0.originLimit = newValue.map { max(1, $0) } } }
    }

    /// Seconds after which who waits counts as of the next class.
    var ageing: TimeInterval {
        get { state.withLock { Double($0.ageing) / 1e9 } }
        set { change { $0.ageing = newValue > 0 && newValue < 1e9 ? UInt64(newValue * 1e9) : 0 } }
    }

    var clock: NetworkClock {
        get { state.withLock { $0.clock } }
        set { change { $0.clock = newValue } }
    }

    var isOffline: Bool {
        get { state.withLock { $0.isOffline } }
        set { change { $0.isOffline = newValue } }
    }

    func limit(ofGroup group: String) -> Int? {
        state.withLock { $0.groups[group]?.limit }
    }

    func setLimit(_ limit: Int?, ofGroup group: String) {
        change { $0.change(group) { $0.limit = limit.map { max(1, $0) } } }
    }

    func isSuspended(_ group: String) -> Bool {
        state.withLock { $0.groups[group]?.isSuspended ?? false }
    }

    func setSuspended(_ isSuspended: Bool, _ group: String) {
        change { $0.change(group) { $0.isSuspended = isSuspended } }
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
        state.withLock { $0.begin(admission) }
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
            guard admission.state == .waiting else { return nil }
            return state.hold(admission) ?? .originLimit
        }
    }

    var looks: Int { state.withLock { $0.looks } }

    private func change(_ change: (inout State) -> Void) {
        let next = state.withLock { state in
            change(&state)
            let pairs = Set(state.lines.keys)
            for pair in pairs { state.list(pair) }
            return state.admitAll(from: pairs)
        }
        announce(next)
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
