import EventRecorder
import Foundation
import HTTPSemantics

/// How many threads a pool makes.
package struct WorkerRule: Sendable {
    /// The threads' name, of which the system shows 15 bytes.
    let name: String
    /// The queue's name in recordings; nil: blocks are not recorded.
    var label: String?
    /// How many jobs run at once.
    package let limit: Int
    /// Where jobs wait and none ends, the limit rises by one each `patience`, up to this.
    var most: Int?
    /// In seconds.
    var patience: TimeInterval = 0.25
    /// How many abandoned jobs may run beside the others.
    package var leftLimit = 0
    /// The nanoseconds after which a job counts as abandoned.
    var slow: UInt64?
    /// The seconds after which a thread without a job ends.
    var idle: TimeInterval = 5

    package static let files = WorkerRule(name: "disk", limit: 16, leftLimit: 64)

    package static let lookUps = WorkerRule(
        name: "host look-up", limit: 32, leftLimit: 128, slow: 1_000_000_000)

    package static let streams = WorkerRule(name: "stream", limit: 64, leftLimit: 256)

    static let processing = growing(
        "processing", "com.alamofire.networking.http-request.processing")

    static let utility = growing("utility", "org.alamofire.utility")

    private static func growing(_ name: String, _ label: String) -> WorkerRule {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return WorkerRule(name: name, label: label, limit: cores, most: 64)
    }
}

/// A thread of a pool, or a caller's thread that waits for a slot.
///
/// ## Concurrency
/// Call from: any thread. Lock: its pool's. Calls out: none.
final class Worker: @unchecked Sendable {
    // @unchecked because its variables are used under the pool's lock alone.
    /// Signalled once it has something to do.
    let turn = DispatchSemaphore(value: 0)
    var job: (block: QueuedBlock, queue: WorkerQueue?)?
    /// When its job began, where the rule has `slow`, in nanoseconds.
    var began: UInt64 = 0
    /// How often the limit had risen then.
    var growths = 0
    /// Whether no caller waits for its job.
    var isLeft = false
}

/// A pool's threads, and what waits for them. Its owner guards it.
struct WorkerState {
    /// What waits for a slot.
    enum Entry {
        case block(QueuedBlock)
        case queue(WorkerQueue)
        /// A caller's thread.
        case own(Worker)

        var isCancelled: Bool {
            if case .queue(let queue) = self { queue.isCancelled } else { false }
        }
    }

    let rule: WorkerRule
    private let clock: NetworkClock

    var waiting = WaitingQueue<Entry>(hasLeft: \.isCancelled)
    /// How many threads the pool has.
    var threads = 0
    /// Those without a job; the last was busy last.
    var idle: [Worker] = []
    /// Those with a job or reserved for a queue, and callers' threads with a slot.
    var working: [Worker] = []
    /// How many of these have an abandoned job.
    private var left = 0
    /// The present limit.
    var allowed: Int
    /// How often the limit has risen.
    private var growths = 0
    /// How many jobs have ended.
    private var done: UInt64 = 0
    /// Workers to be signalled once the lock is released.
    var woken: [Worker] = []
    private var isLookedAt = false

    init(_ rule: WorkerRule, _ clock: NetworkClock) {
        (self.rule, self.clock) = (rule, clock)
        allowed = rule.limit
    }

    /// Whether no thread of the pool will be free soon.
    var hasNoThreadSoon: Bool { threads - idle.count <= left }

    /// Whether one more job may begin.
    mutating func hasSlot() -> Bool {
        if counted < allowed { return true }
        guard let slow = rule.slow else { return false }
        let now = clock.nanoseconds
        for worker in working where now - worker.began > slow { leave(worker) }
        return counted < allowed
    }

    private var counted: Int { working.count - min(left, rule.leftLimit) }

    mutating func begin(_ worker: Worker) {
        working.append(worker)
        worker.growths = growths
        if rule.slow != nil { worker.began = clock.nanoseconds }
    }

    /// Gives a worker what waited.
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

    mutating func end(_ worker: Worker) {
        done &+= 1
        // The limit has risen because of jobs that had begun before.
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

    /// - Returns: whether the thread had no job, and was removed.
    mutating func endThread(_ worker: Worker) -> Bool {
        guard let index = idle.firstIndex(where: { $0 === worker }) else { return false }
        idle.remove(at: index)
        threads -= 1
        return true
    }

    // MARK: Later

    /// - Returns: how many jobs have ended, where `look` is to be called after `patience`.
    mutating func mustLook() -> UInt64? {
        guard !isLookedAt, !waiting.isEmpty,
            rule.most != nil || rule.slow != nil || hasSlot()
        else { return nil }
        isLookedAt = true
        return done
    }

    /// Raises the limit by one where jobs still wait and none has ended meanwhile.
    mutating func look(since done: UInt64) {
        isLookedAt = false
        guard let most = rule.most, working.count < most, self.done == done, !waiting.isEmpty,
            !hasSlot()
        else { return }
        allowed = max(allowed, working.count) + 1
        growths += 1
    }
}
