import Dispatch
import EventRecorder
import HTTPSemantics

/// A thread of a pool, or one that will work itself once it has a slot.
///
/// ## Concurrency
/// Call from: any thread. Lock: its pool's. Calls out: none.
final class Worker: @unchecked Sendable {
    // @unchecked because its variables are touched under the pool's lock alone.
    /// Signalled once it has something to do.
    let turn = DispatchSemaphore(value: 0)
    var job: (block: QueuedBlock, queue: WorkerQueue?)?
    /// When it began, where that matters, in nanoseconds.
    var began: UInt64 = 0
    /// How often the pool had grown then.
    var growths = 0
    /// Whether no caller waits for what it runs.
    var isLeft = false
}

/// Who works in a pool and what waits. Its owner guards it.
struct WorkerState {
    /// What waits for a slot, and for a thread.
    enum Entry {
        case block(QueuedBlock)
        case queue(WorkerQueue)
        /// A thread that will work itself.
        case own(Worker)

        var isCancelled: Bool {
            if case .queue(let queue) = self { queue.isCancelled } else { false }
        }
    }

    let rule: WorkerRule
    private let clock: NetworkClock

    var waiting = WaitingQueue<Entry>(hasLeft: \.isCancelled)
    /// How many threads of its own there are.
    var threads = 0
    /// Of these, those without a job; the last has waited least.
    var idle: [Worker] = []
    /// Those that run a job or are kept for a queue, and those that work themselves.
    var working: [Worker] = []
    /// How many of these no caller waits for.
    private var left = 0
    /// How many may work at once.
    var allowed: Int
    /// How often one more was allowed.
    private var growths = 0
    /// How many jobs have ended so far; shows whether the pool stands still.
    private var done: UInt64 = 0
    /// Those to be woken once the lock is left.
    var woken: [Worker] = []
    private var isLookedAt = false

    init(_ rule: WorkerRule, _ clock: NetworkClock) {
        (self.rule, self.clock) = (rule, clock)
        allowed = rule.limit
    }

    /// Whether no thread of the pool will have time soon.
    var isAlone: Bool { threads - idle.count <= left }

    /// Whether one more may work.
    mutating func hasRoom() -> Bool {
        if counted < allowed { return true }
        guard let slow = rule.slow else { return false }
        let now = clock.nanoseconds
        for worker in working where now - worker.began > slow { leave(worker) }
        return counted < allowed
    }

    /// Those who take slots from others.
    private var counted: Int { working.count - min(left, rule.leftLimit) }

    mutating func begin(_ worker: Worker) {
        working.append(worker)
        worker.growths = growths
        if rule.slow != nil { worker.began = clock.nanoseconds }
    }

    /// Gives a thread what waited.
    mutating func begin(_ entry: Entry, on worker: Worker) {
        begin(worker)
        switch entry {
        case .block(let block): worker.job = (block, nil)
        case .queue(let queue):
            (queue.worker, queue.isWaiting) = (worker, false)
            if queue.isLeft { leave(worker) }
            worker.job = queue.next().map { (QueuedBlock(unseen: $0), queue) }
        case .own: break
        }
    }

    /// Who was there before one more was allowed stood in the others' way.
    mutating func end(_ worker: Worker) {
        done &+= 1
        if worker.growths < growths, allowed > rule.limit { allowed -= 1 }
        working.removeAll { $0 === worker }
        if worker.isLeft { left -= 1 }
        worker.isLeft = false
    }

    mutating func leave(_ worker: Worker) {
        guard !worker.isLeft else { return }
        worker.isLeft = true
        left += 1
    }

    /// - Returns: whether a thread had nothing to do and is the pool's no more.
    mutating func endThread(_ worker: Worker) -> Bool {
        guard let index = idle.firstIndex(where: { $0 === worker }) else { return false }
        idle.remove(at: index)
        threads -= 1
        return true
    }

    // MARK: Later

    /// - Returns: how many jobs had ended, where what waits must be looked at a little later.
    mutating func mustLook() -> UInt64? {
        guard !isLookedAt, !waiting.isEmpty,
            rule.most != nil || rule.slow != nil || hasRoom()
        else { return nil }
        isLookedAt = true
        return done
    }

    /// Allows one more where jobs wait still and none has ended.
    mutating func look(since done: UInt64) {
        isLookedAt = false
        guard let most = rule.most, working.count < most, self.done == done, !waiting.isEmpty,
            !hasRoom()
        else { return }
        allowed = max(allowed, working.count) + 1
        growths += 1
    }
}
