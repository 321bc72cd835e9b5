import Locking

/// Jobs from other threads for one transport.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list.
final class CrossThreadJobs: Sendable {
    /// Called on the transport's thread, so a job need not hold it.
    typealias Job = @Sendable (RunLoopTransport) -> Void

    /// Nil once the transport is closed.
    private let waiting = Locked<[Job]?>([])
    private let wakeUpEvent: WakeUpEvent

    init(_ wakeUpEvent: WakeUpEvent) {
        self.wakeUpEvent = wakeUpEvent
    }

    /// Runs a job on the transport's thread, in its modes.
    func perform(_ job: @escaping Job) {
        waiting.withLock { $0?.append(job) }
        wakeUpEvent.signal()
    }

    /// Drops what was not collected, and what comes later.
    func close() {
        withExtendedLifetime(take(leaving: nil)) {}
    }

    /// Takes all that wait, in their order.
    func collect() -> [Job] {
        take(leaving: [])
    }

    /// Jobs are released outside the lock: what they hold is the caller's.
    private func take(leaving rest: [Job]?) -> [Job] {
        waiting.withLock { waiting in
            guard let jobs = waiting else { return [] }
            waiting = rest
            return jobs
        }
    }
}
