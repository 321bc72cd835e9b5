import CurlConnection
public import Foundation
import Locking
import Synchronization

extension URLConnectionOperation {
    /// Wraps operations so that blocks get progress and one completion. An operation given twice counts once.
    ///
    /// - Parameters:
    ///   - progress: called once for each operation with the number finished and the number in all, on its completion
    ///     queue before its completion block; after one that is set later or was already dispatched.
    ///   - completion: called on main, once, after every operation's own callbacks, also for no operations at all.
    /// - Returns: the operations that no manager has enqueued and that were not started, and one more, last; add all of
    ///   them to a queue. One that `OperationQueue.addOperation` has added is among them until it starts: leave it out.
    public class func batch(
        of operations: [URLConnectionOperation],
        progress: (@Sendable (_ finished: Int, _ total: Int) -> Void)?,
        completion: (@Sendable ([URLConnectionOperation]) -> Void)?
    ) -> [Operation] {
        var seen: Set<ObjectIdentifier> = []
        let distinct = operations.filter { seen.insert(ObjectIdentifier($0)).inserted }
        let group = DispatchGroup()
        let count = Unfinished(distinct.count)
        let last = BatchEnd(after: distinct, count) {
            group.notify(queue: .main) { completion?(operations) }
        }
        for operation in distinct {
            operation.whenFinished { [weak last] in
                if count.subtractOne() == 0 { last?.announceReadiness() }
            }
            let membership = Membership(of: group) { progress?(count.all - count.left, count.all) }
            operation.completionGroup = group
            operation.prependCompletion { membership.report() }
            operation.whenDelivered { membership.leave() }
        }
        return distinct.filter(\.mayBeAdded) + [last]
    }

    /// Calls a hook at the end, before the operation announces it, on any thread; at once if it has ended. A queue that
    /// reads `isFinished` may see the end earlier. The hook must not block.
    package func whenFinished(_ hook: @escaping @Sendable () -> Void) {
        let isTooLate = lock.withLock {
            if state != .finished { guarded.rareValues.finishHooks.append(hook) }
            return state == .finished
        }
        if isTooLate { hook() }
    }

    /// Calls a hook once all completions have returned, on the completion queue or on main.
    func whenDelivered(_ hook: @escaping @Sendable () -> Void) {
        let isTooLate = lock.withLock {
            if !guarded.machine.isReleased { guarded.rareValues.deliveryHooks.append(hook) }
            return guarded.machine.isReleased
        }
        if isTooLate { read(\.sharedSettings).completionTarget.deliver(hook) }
    }

    /// Runs a block before the completion block, on its queue; not at all after the end.
    func prependCompletion(_ first: @escaping @Sendable () -> Void) {
        guard state != .finished else { return }
        // The original is itself a delivery to the same queue, so its block runs after this one.
        let (original, owesResult) = (completionBlock, read(\.machine.owesResult))
        completionBlock = {
            original?()
            first()
        }
        lock.withLock { if state != .finished { setOwesResult(owesResult) } }
    }
}

/// The number of a batch's operations that have not finished.
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

/// Enters a group, and leaves it once: when the operation's callbacks have run, after the progress, or when the
/// operation is released without them. Dispatch stops the process when a group is released that was not left.
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
/// It counts instead of depending on each: Foundation compares a new dependency with all others, which is quadratic.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the announcing threads. Calls out on: the queue it is in, not under the
/// lock.
class BatchEnd: Operation, DependentObject, @unchecked Sendable {
    // @unchecked because its superclass is; all it adds is constant or guards itself.
    private let awaited: [URLConnectionOperation]
    private let unfinished: Unfinished
    private let atEnd: @Sendable () -> Void
    private let announcers = Locked<Set<ObjectIdentifier>>([])

    init(
        after operations: [URLConnectionOperation], _ unfinished: Unfinished,
        _ atEnd: @escaping @Sendable () -> Void
    ) {
        awaited = operations
        self.unfinished = unfinished
        self.atEnd = atEnd
    }

    deinit { super.dependencies.leavePredecessors() }

    override var dependencies: [Operation] { awaited + super.dependencies.awaited }

    override func addDependency(_ operation: Operation) {
        guard super.dependencies.predecessors(of: operation).isEmpty else { return }
        super.addDependency(Predecessor(operation, of: self))
    }

    override func removeDependency(_ operation: Operation) {
        super.dependencies.leavePredecessors(of: operation)
    }

    @available(*, noasync, message: "Use completionBlock or a dependent Operation instead")
    override func waitUntilFinished() {
        if !isFinished { NetworkThread.refuseToWait() }
        super.waitUntilFinished()
    }

    /// A queue that adds it reads this, and stores the value later over a newer one. But it reads again after that, and
    /// then gets the announcement at once.
    override var isReady: Bool {
        guard unfinished.left == 0 || isCancelled, super.isReady else { return false }
        announceReadiness()
        return true
    }

    /// Announces to its queue, which reads `isReady`; not again inside that call.
    func announceReadiness() {
        let me = ObjectIdentifier(Thread.current)
        guard announcers.withLock({ $0.insert(me).inserted }) else { return }
        willChangeValue(forKey: "isReady")
        didChangeValue(forKey: "isReady")
        announcers.withLock { _ = $0.remove(me) }
    }

    func announcing(_ announce: () -> Void) { announce() }

    /// Also after a cancel: the completion is called all the same.
    override func start() {
        atEnd()
        super.start()
    }
}
