import HTTPSemantics
package import Locking

/// A serial queue on the threads of a pool. The queues of a pool take turns.
///
/// ## Concurrency
/// Call from: any thread. Lock: its pool's. Calls out, without it, on: the pool's threads, or the caller's thread where
/// the system has no thread to give.
package final class WorkerQueue: @unchecked Sendable {
    // @unchecked because its variables are used under the pool's lock alone.
    private let pool: WorkerPool
    /// Whether it has a thread of its own.
    let isReserved: Bool
    /// The thread that runs its job, or that is reserved for it.
    var worker: Worker?
    var jobs = FIFOQueue<@Sendable () -> Void>()
    /// Whether it waits for a thread, or has one that runs a job.
    var isBusy = false
    /// Whether it is in the pool's `waiting`.
    var isWaiting = false
    var isCancelled = false
    /// Whether no caller waits for its jobs.
    var isLeft = false

    package init(_ pool: WorkerPool) {
        (self.pool, isReserved) = (pool, false)
    }

    /// Reserves a thread for as long as the queue exists.
    ///
    /// - Returns: nil at the pool's limit.
    package init?(keepingThreadOf pool: WorkerPool) throws(ThreadUnavailable) {
        (self.pool, isReserved) = (pool, true)
        guard let worker = try pool.reserve() else { return nil }
        self.worker = worker
    }

    deinit {
        // There is no job: the pool retains a queue that has one.
        if isReserved, let worker { pool.release(worker) }
    }

    /// Runs a job after those before it, also where the queue is released meanwhile. Where the system has no thread to
    /// give and none will be free soon, the job runs on the caller's thread.
    package func perform(_ job: @escaping @Sendable () -> Void) {
        if !pool.add(job, to: self, isRunHere: true) { pool.runHere(self) }
    }

    /// Like `perform`, but never runs the job on the caller's thread.
    ///
    /// - Returns: whether the job will run.
    package func performElsewhere(_ job: @escaping @Sendable () -> Void) -> Bool {
        pool.add(job, to: self, isRunHere: false)
    }

    /// No caller waits any more for the job under way, nor for those after it: they count as abandoned.
    package func leave() {
        pool.leave(self)
    }

    /// Like `leave`, and removes the jobs that have not begun.
    package func cancel() {
        pool.cancel(self)
    }

    /// The next job. To be called under the pool's lock.
    func next() -> (@Sendable () -> Void)? {
        let job = jobs.popFirst()
        isBusy = job != nil
        return job
    }
}
