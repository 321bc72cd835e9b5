import HTTPSemantics
package import Locking

/// Jobs that run in their order, one at a time, on the threads of a pool. Queues take turns.
///
/// ## Concurrency
/// Call from: any thread. Lock: its pool's. Calls out on: the pool's threads, and where the system has none at all the
/// caller's, not under it.
package final class WorkerQueue: @unchecked Sendable {
    // @unchecked because its variables are touched under the pool's lock alone.
    private let pool: WorkerPool
    /// Whether it has a thread for all its life.
    let isReserved: Bool
    /// The thread that runs its job, or that is kept for it.
    var worker: Worker?
    var jobs = FIFOQueue<@Sendable () -> Void>()
    /// Whether it waits for a thread, or a job of it runs.
    var isBusy = false
    /// Whether the pool has it among those that wait.
    var isWaiting = false
    var isCancelled = false
    /// Whether no caller waits for its jobs any more.
    var isLeft = false

    package init(_ pool: WorkerPool) {
        (self.pool, isReserved) = (pool, false)
    }

    /// One that has a thread at once, and keeps it as long as there is this; nil where as many have one as may.
    package init?(keepingThreadOf pool: WorkerPool) throws(ThreadUnavailable) {
        (self.pool, isReserved) = (pool, true)
        guard let worker = try pool.reserve() else { return nil }
        self.worker = worker
    }

    deinit {
        // No job is left: the pool keeps a queue that has one.
        if isReserved, let worker { pool.release(worker) }
    }

    /// Runs a job after those before it; it is run also where this is released. Where the system has no thread to
    /// give and none works, it is run here.
    package func perform(_ job: @escaping @Sendable () -> Void) {
        if !pool.add(job, to: self, isRunHere: true) { pool.runHere(self) }
    }

    /// The same, but never here.
    ///
    /// - Returns: false where it would be; it is not run then.
    package func performElsewhere(_ job: @escaping @Sendable () -> Void) -> Bool {
        pool.add(job, to: self, isRunHere: false)
    }

    /// No caller waits any more for the job under way, nor for those behind it: they take no slot from others.
    package func leave() {
        pool.leave(self)
    }

    /// As `leave`, for ever; those that have not begun never will.
    package func cancel() {
        pool.cancel(self)
    }

    /// The next job; under the pool's lock.
    func next() -> (@Sendable () -> Void)? {
        let job = jobs.popFirst()
        isBusy = job != nil
        return job
    }
}
