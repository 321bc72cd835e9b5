import Dispatch
import Locking

/// A call that a clock makes once, unless it is cancelled before.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the block. Calls out on: the alarm's queue, not under it.
public final class ClockAlarm: Sendable {
    private struct State {
        var block: (@Sendable () -> Void)?
        /// The system's timer that rings it.
        var timer: (any DispatchSourceTimer)?
    }

    private let state: Locked<State>

    /// Rings the alarms of the system's clock that name no queue. Not of Dispatch's default pool, whose
    /// threads callers can use up (Documentation/Decisions/0021).
    static let shared = DispatchQueue(label: "NetworkClock", qos: .userInteractive)

    init(_ block: @escaping @Sendable () -> Void) {
        state = Locked(State(block: block))
    }

    /// Takes the call back.
    ///
    /// - Returns: whether it was in time: the block has not begun, and will not.
    @discardableResult
    public func cancel() -> Bool {
        take() != nil
    }

    /// Whether it will still ring.
    public var isSet: Bool { state.withLock { $0.block != nil } }

    /// Calls the block, unless that was done or taken back.
    func ring() {
        take()?()
    }

    private func take() -> (@Sendable () -> Void)? {
        let old = state.withLock { state in
            defer { state = State() }
            return state
        }
        // Released after the lock is left, as the block is.
        old.timer?.cancel()
        return old.block
    }

    /// Has the system's timer ring it at a time of the monotonic clock.
    func ring(at deadline: UInt64, on queue: DispatchQueue) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [self] in ring() }
        timer.schedule(deadline: DispatchTime(uptimeNanoseconds: deadline))
        state.withLock { if $0.block != nil { $0.timer = timer } }
        timer.activate()
    }
}
