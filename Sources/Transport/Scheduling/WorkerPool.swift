import EventRecorder
import Foundation
package import HTTPSemantics
package import Locking

/// Threads that run blocks, and the jobs of `WorkerQueue`s, in their order.
///
/// They are not Dispatch's, whose pools callers can use up, and which do not report that the system has no thread to
/// give. A thread without a job ends after some seconds.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state; threads are started under it. Calls out, without it, on: its
/// threads, and the thread that calls `performHere`.
package final class WorkerPool: Sendable {
    /// The process's for response serializers.
    package static let processing = WorkerPool(.processing)

    /// The process's for the caller's closures that may wait for a load or a disk: the adapter of a retry, the
    /// retrier after an adapter's error, forms. Loads that they wait for need `processing` (decision 21).
    package static let utility = WorkerPool(.utility)

    /// The process's for streams, each of which may block a thread of its own.
    package static let streams = WorkerPool(.streams)

    /// The process's for files.
    package static let files = WorkerPool(.files)

    private let rule: WorkerRule
    private let label: EventText?
    private let clock: NetworkClock
    private let start: SystemThread.Starter
    private let state: Locked<WorkerState>

    /// How many blocks, queues and threads wait.
    package var waiting: Int { state.withLock { $0.waiting.count } }
    /// How many threads have a job or are reserved.
    package var working: Int { state.withLock { $0.working.count } }
    /// How many jobs may run at once.
    var allowed: Int { state.withLock { $0.allowed } }
    /// How many threads it has.
    var threads: Int { state.withLock { $0.threads } }

    /// - Parameter start: starts a thread.
    package init(
        _ rule: WorkerRule, clock: NetworkClock = .system,
        startingBy start: @escaping SystemThread.Starter = SystemThread.start
    ) {
        (self.rule, self.clock, self.start) = (rule, clock, start)
        label = rule.label.map { EventText(fixed: $0) }
        state = Locked(WorkerState(rule, clock))
    }

    // MARK: Blocks

    /// Runs a block once there is a slot.
    ///
    /// - Returns: false where the system has no thread to give and none will be free soon; the block does not run.
    package func perform(_ block: @escaping @Sendable () -> Void) -> Bool {
        let block = seen(block)
        return change { add(.block(block), to: &$0) }
    }

    /// Runs blocks once there are slots. Where the system has no thread to give, they wait until it has one.
    package func enqueue(_ blocks: [@Sendable () -> Void]) {
        if blocks.isEmpty { return }
        let blocks = blocks.map(seen)
        change { state in
            for block in blocks { state.waiting.append(.block(block)) }
            admit(&state)
        }
    }

    private func seen(_ block: @escaping @Sendable () -> Void) -> QueuedBlock {
        label.map { QueuedBlock(for: $0, block) } ?? QueuedBlock(unseen: block)
    }

    /// Blocks the calling thread until there is a slot, and runs a block on it: for code that must run on a caller's
    /// queue. Where the pool has no thread and gets none soon, the block runs at once.
    package func performHere(_ block: () -> Void) {
        let own = Worker()
        guard change({ add(.own(own), to: &$0) }) else { return block() }
        own.turn.wait()
        block()
        change { state in
            state.end(own)
            admit(&state)
        }
    }

    // MARK: Queues

    /// Adds a job to a queue.
    ///
    /// - Returns: false where there is no thread. Then the caller is to call `runHere`, or the job was not added.
    func add(
        _ job: @escaping @Sendable () -> Void, to queue: WorkerQueue, isRunHere: Bool
    ) -> Bool {
        change { state in
            queue.jobs.append(job)
            guard !queue.isBusy else { return true }
            queue.isBusy = true
            if let worker = queue.worker {
                worker.job = queue.next().map { (QueuedBlock(unseen: $0), queue) }
                state.woken.append(worker)
                return true
            }
            queue.isWaiting = true
            if add(.queue(queue), to: &state) { return true }
            queue.isWaiting = false
            if !isRunHere { (queue.jobs, queue.isBusy) = (FIFOQueue(), false) }
            return false
        }
    }

    /// Runs a queue's jobs on the calling thread.
    func runHere(_ queue: WorkerQueue) {
        while let job = state.withLock({ _ in queue.next() }) { job() }
    }

    /// Removes the jobs of a queue that have not begun; the one under way counts as abandoned.
    func cancel(_ queue: WorkerQueue) {
        let jobs = change { state in
            defer { queue.jobs = FIFOQueue() }
            if queue.isWaiting, !queue.isCancelled {
                queue.isCancelled = true
                state.waiting.noteLeaving()
            }
            leave(queue, in: &state)
            return queue.jobs
        }
        // Released outside the lock.
        withExtendedLifetime(jobs) {}
    }

    /// A queue's jobs count as abandoned from now on.
    func leave(_ queue: WorkerQueue) {
        change { leave(queue, in: &$0) }
    }

    private func leave(_ queue: WorkerQueue, in state: inout WorkerState) {
        queue.isLeft = true
        guard let worker = queue.worker else { return }
        state.leave(worker)
        admit(&state)
    }

    /// Reserves a thread for a queue; nil at the limit.
    func reserve() throws(ThreadUnavailable) -> Worker? {
        try change { state in
            Result { () throws(ThreadUnavailable) in
                guard state.hasSlot() else { return nil }
                let worker = try idleOrNew(in: &state)
                state.begin(worker)
                return worker
            }
        }.get()
    }

    /// The queue of a reserved thread is released.
    func release(_ worker: Worker) {
        change { state in
            state.end(worker)
            state.idle.append(worker)
            admit(&state)
        }
    }

    // MARK: Under the lock

    /// - Returns: false where it was not added: there is no thread, and none will be free soon.
    private func add(_ entry: WorkerState.Entry, to state: inout WorkerState) -> Bool {
        state.waiting.append(entry)
        if admit(&state) || !state.hasNoThreadSoon { return true }
        state.waiting.removeLast()
        return false
    }

    /// Begins what waits, as far as there are slots.
    ///
    /// - Returns: false where there is a slot and no thread.
    @discardableResult
    private func admit(_ state: inout WorkerState) -> Bool {
        while let first = state.waiting.first(), state.hasSlot() {
            guard let worker = worker(for: first, in: &state) else { return false }
            _ = state.waiting.removeFirst()
            state.begin(first, on: worker)
            state.woken.append(worker)
        }
        return true
    }

    private func worker(for entry: WorkerState.Entry, in state: inout WorkerState) -> Worker? {
        if case .own(let own) = entry { return own }
        return try? idleOrNew(in: &state)
    }

    private func idleOrNew(in state: inout WorkerState) throws(ThreadUnavailable) -> Worker {
        if let worker = state.idle.popLast() { return worker }
        let worker = Worker()
        try start { [self] in
            prepareThread()
            while goesOn(worker) {}
        }
        state.threads += 1
        return worker
    }

    // MARK: Threads

    /// Blocks the signals that are for the program's threads, as on Dispatch's, and SIGPIPE, which would end the process
    /// in place of an error.
    private func prepareThread() {
        Thread.current.name = rule.name
        var signals = sigset_t()
        sigfillset(&signals)
        for own in [SIGILL, SIGTRAP, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGPROF] {
            sigdelset(&signals, own)
        }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Runs a thread's jobs until there is none. A function of its own, so that no job is retained while the thread
    /// waits: it may retain a queue, and so reserve this thread.
    ///
    /// - Returns: false where the thread is to end.
    private func goesOn(_ worker: Worker) -> Bool {
        let hasWork = worker.turn.wait(timeout: .now() + rule.idle) == .success
        if !hasWork, state.withLock({ $0.endThread(worker) }) { return false }
        while let (block, queue) = state.withLock({ _ in worker.job.take() }) {
            block.run()
            change { next(worker, after: queue, &$0) }
        }
        return true
    }

    private func next(_ worker: Worker, after queue: WorkerQueue?, _ state: inout WorkerState) {
        if let queue {
            if queue.isReserved {
                worker.job = queue.next().map { (QueuedBlock(unseen: $0), queue) }
                return
            }
            queue.worker = nil
            queue.isBusy = !queue.jobs.isEmpty
            queue.isWaiting = queue.isBusy
            if queue.isBusy { state.waiting.append(.queue(queue)) }
        }
        state.end(worker)
        while state.hasSlot(), let next = state.waiting.removeFirst() {
            if case .own(let own) = next {
                state.begin(next, on: own)
                state.woken.append(own)
            } else {
                return state.begin(next, on: worker)
            }
        }
        state.idle.append(worker)
    }

    /// Changes the state, signals workers, and schedules the next `look`.
    @discardableResult
    private func change<Value>(_ body: (inout WorkerState) -> Value) -> Value {
        let (value, woken, done) = state.withLock { state in
            let value = body(&state)
            defer { state.woken = [] }
            return (value, state.woken, state.mustLook())
        }
        for worker in woken { worker.turn.signal() }
        if let done {
            clock.wakeUp(after: rule.patience) { [self] in
                change { state in
                    state.look(since: done)
                    admit(&state)
                }
            }
        }
        return value
    }
}

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
