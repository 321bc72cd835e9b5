import Locking

/// Jobs from other threads for one transport.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list.
final class CrossThreadJobs: Sendable {
    /// The transport is handed in on its own thread, so a job needs to carry nothing of it there.
    typealias Job = @Sendable (RunLoopTransport) -> Void

    /// Nil once the transport is closed, and nobody collects any more.
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

    /// The jobs are dropped outside the lock: what they hold is the caller's.
    private func take(leaving rest: [Job]?) -> [Job] {
        waiting.withLock { waiting in
            guard let jobs = waiting else { return [] }
            waiting = rest
            return jobs
        }
    }
}
