import Dispatch
import Locking

/// A block that a clock calls once, unless it is cancelled before.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the block. Calls out on: the alarm's queue, without the
/// lock.
public final class ClockAlarm: Sendable {
    private struct State {
        var block: (@Sendable () -> Void)?
        var timer: (any DispatchSourceTimer)?
    }

    private let state: Locked<State>

    /// Runs alarms of the system clock that name no queue. Not Dispatch's default pool, whose
    /// threads callers can use up (Documentation/Decisions/0021).
    static let shared = DispatchQueue(label: "NetworkClock", qos: .userInteractive)

    init(_ block: @escaping @Sendable () -> Void) {
        state = Locked(State(block: block))
    }

    /// Cancels the call.
    ///
    /// - Returns: whether that was in time: the block has not begun, and will not.
    @discardableResult
    public func cancel() -> Bool {
        take() != nil
    }

    /// Whether the call is still to come.
    public var isSet: Bool { state.withLock { $0.block != nil } }

    /// Calls the block, unless it was called or cancelled.
    func ring() {
        take()?()
    }

    private func take() -> (@Sendable () -> Void)? {
        let old = state.withLock { state in
            defer { state = State() }
            return state
        }
        // Released after unlocking, as the block is.
        old.timer?.cancel()
        return old.block
    }

    /// Schedules the system's timer at a time of the monotonic clock.
    func ring(at deadline: UInt64, on queue: DispatchQueue) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [self] in ring() }
        timer.schedule(deadline: DispatchTime(uptimeNanoseconds: deadline))
        state.withLock { if $0.block != nil { $0.timer = timer } }
        timer.activate()
    }
}

extension NetworkClock {
    /// Suspends the task until an instant, without blocking a thread; the tolerance is not used.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let (stream, end) = AsyncStream.makeStream(of: Void.self)
        let alarm = wakeUp(at: deadline) { end.finish() }
        // Ends with the stream, or with the task's cancellation.
        for await _ in stream {}
        if alarm.cancel() { throw CancellationError() }
    }
}
