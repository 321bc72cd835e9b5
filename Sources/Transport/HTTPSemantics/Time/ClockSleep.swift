import Locking

extension NetworkClock {
    /// Suspends the task until an instant, without blocking a thread; the tolerance is not used.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let sleep = ClockSleep()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                sleep.begin(continuation)
                sleep.waits(for: wakeUp(at: deadline) { sleep.end(nil) })
            }
        } onCancel: {
            sleep.end(CancellationError())
        }
    }
}

/// One task that sleeps.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state, not held while the task resumes.
private final class ClockSleep: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Void, any Error>, ClockAlarm?)
        case over((any Error)?)
    }

    private let state = Locked(State.new)

    func begin(_ continuation: CheckedContinuation<Void, any Error>) {
        let end: (any Error)?? = state.withLock { state in
            if case .over(let error) = state { return .some(error) }
            state = .waiting(continuation, nil)
            return nil
        }
        if let end { Self.resume(continuation, end) }
    }

    func waits(for alarm: ClockAlarm) {
        let isOver = state.withLock { state in
            guard case .waiting(let continuation, _) = state else { return true }
            state = .waiting(continuation, alarm)
            return false
        }
        if isOver { alarm.cancel() }
    }

    func end(_ error: (any Error)?) {
        let old = state.withLock { state in
            defer { if case .over = state {} else { state = .over(error) } }
            return state
        }
        guard case .waiting(let continuation, let alarm) = old else { return }
        alarm?.cancel()
        Self.resume(continuation, error)
    }

    private static func resume(
        _ continuation: CheckedContinuation<Void, any Error>, _ error: (any Error)?
    ) {
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
    }
}
