import CurlConnection
public import Foundation
import Locking
import Synchronization

/// Many operations with progress and one completion after all of their callbacks (BA-1 to BA-8).
enum OperationBatch {
    /// Wraps the operations' completion blocks and adds one operation that waits for them all.
    ///
    /// Progress comes on each operation's completion queue, before its own block; after a block
    /// that was set later, or was on its way already. Completion comes on main, once, after all of
    /// them, also for no operations at all. An operation given twice counts once.
    ///
    /// - Returns: the operations that a queue may take, and the extra one, last; nothing is enqueued.
    static func wrap(
        _ given: [URLConnectionOperation],
        progress: (@Sendable (Int, Int) -> Void)?,
        completion: (@Sendable ([URLConnectionOperation]) -> Void)?
    ) -> [Operation] {
        var seen: Set<ObjectIdentifier> = []
        let operations = given.filter { seen.insert(ObjectIdentifier($0)).inserted }
        let group = DispatchGroup()
        let count = Unfinished(operations.count)
        let last = BatchEnd(after: operations, count) {
            group.notify(queue: .main) { completion?(given) }
        }
        for operation in operations {
            operation.whenFinished { [weak last] in
                if count.subtractOne() == 0 { last?.announceReadiness() }
            }
            let membership = Membership(of: group) { progress?(count.all - count.left, count.all) }
            operation.completionGroup = group
            operation.prependCompletion { membership.report() }
            operation.whenDelivered { membership.leave() }
        }
        return operations.filter(\.mayEnter) + [last]
    }
}

extension URLConnectionOperation {
    /// Wraps operations so that progress and one completion can be heard of (BA-1 to BA-8).
    ///
    /// - Parameters:
    ///   - progress: called once an operation with the number finished and the number in all.
    ///   - completion: called on main, once, after every operation's own callbacks.
    /// - Returns: the operations that are in no queue yet, and one more; add all of them to a queue.
    public class func batch(
        of operations: [URLConnectionOperation],
        progress: (@Sendable (_ finished: Int, _ total: Int) -> Void)?,
        completion: (@Sendable ([URLConnectionOperation]) -> Void)?
    ) -> [Operation] {
        OperationBatch.wrap(operations, progress: progress, completion: completion)
    }

    /// Has a block of ours called once the operation is finished, before anybody hears of that; at
    /// once if it is. Under the lock: no caller's code.
    func whenFinished(_ hook: @escaping @Sendable () -> Void) {
        lock.withLock {
            if isFinished {
                hook()
            } else {
                guarded.finishHooks.append(hook)
            }
        }
    }

    /// Has a block run once the last completion has run, whichever blocks are set by then; at once,
    /// on their queue, if it is too late.
    func whenDelivered(_ hook: @escaping @Sendable () -> Void) {
        let isTooLate = lock.withLock {
            if !guarded.isDelivered { guarded.deliveryHooks.append(hook) }
            return guarded.isDelivered
        }
        if isTooLate { CompletionDelivery.deliver(hook, to: read(\.completionTarget)) {} }
    }

    /// Has a block run before the completion block, on its queue; not at all if it is too late.
    func prependCompletion(_ first: @escaping @Sendable () -> Void) {
        lock.withLock {
            guard !isFinished else { return }
            // The original is itself a delivery to the same queue, so its block runs after this
            // one.
            let (original, mustTell) = (completionBlock, guarded.mustTell)
            completionBlock = {
                original?()
                first()
            }
            setMustTell(mustTell)
        }
    }
}

/// How many of a batch have not finished; it knows none of them, so that nothing keeps them.
final class Unfinished: Sendable {
    let all: Int
    private let value: Atomic<Int>

    init(_ count: Int) {
        all = count
        value = Atomic(count)
    }

    var left: Int { value.load(ordering: .acquiring) }

    func subtractOne() -> Int {
        value.subtract(1, ordering: .acquiringAndReleasing).newValue
    }
}

/// One place in a group, left once: when the callbacks have run, or when nobody can run them any
/// more. Before it is left for the former reason, progress is reported, once.
///
/// Dispatch stops the process when a group is freed that somebody has entered and not left.
private final class Membership: Sendable {
    private let group: DispatchGroup
    private let progress: @Sendable () -> Void
    private let isReported = Atomic<Bool>(false)
    private let isOver = Atomic<Bool>(false)

    init(of group: DispatchGroup, _ progress: @escaping @Sendable () -> Void) {
        self.group = group
        self.progress = progress
        group.enter()
    }

    deinit {
        if !isOver.load(ordering: .acquiring) { group.leave() }
    }

    func report() {
        if !isReported.exchange(true, ordering: .acquiringAndReleasing) { progress() }
    }

    func leave() {
        report()
        if !isOver.exchange(true, ordering: .acquiringAndReleasing) { group.leave() }
    }
}

/// The operation that ends a batch: ready when all of the batch have finished.
///
/// It counts instead of depending on each: adding a dependency looks through those there are, which
/// makes a batch of many thousands quadratic.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around who announces; the count is atomic. Calls out on: the
/// queue it is in, not under the lock.
class BatchEnd: Operation, @unchecked Sendable {
    // @unchecked because it restates the superclass; all it adds is constant or guards itself.
    private let awaited: [URLConnectionOperation]
    private let unfinished: Unfinished
    private let atEnd: @Sendable () -> Void
    /// The threads that are announcing.
    private let announcers = Locked<Set<ObjectIdentifier>>([])

    init(
        after operations: [URLConnectionOperation], _ unfinished: Unfinished,
        _ atEnd: @escaping @Sendable () -> Void
    ) {
        awaited = operations
        self.unfinished = unfinished
        self.atEnd = atEnd
    }

    /// What it waits for, as if it depended on each.
    override var dependencies: [Operation] { awaited + super.dependencies }

    /// A queue that is taking it in asks, and writes the answer down later, over what it was told
    /// meanwhile. But it asks again once it has it, and is then told at once.
    override var isReady: Bool {
        guard unfinished.left == 0 || isCancelled, super.isReady else { return false }
        announceReadiness()
        return true
    }

    /// Tells its queue, which asks; not once more inside that.
    func announceReadiness() {
        let me = ObjectIdentifier(Thread.current)
        guard announcers.withLock({ $0.insert(me).inserted }) else { return }
        willChangeValue(forKey: "isReady")
        didChangeValue(forKey: "isReady")
        announcers.withLock { _ = $0.remove(me) }
    }

    /// Also when it was cancelled with the others: the batch ends with its callbacks all the same.
    override func start() {
        atEnd()
        super.start()
    }
}
