import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking
import Scheduling
import Synchronization

extension URLConnectionOperation {
    /// Whether it may be added to a queue: Foundation stops the process if it is in one, runs or has ended.
    var mayEnter: Bool {
        !wasEntered.load(ordering: .acquiring)
            && lock.withLock { !guarded.machine.wasStarted && state != .finished }
    }

    /// Whether its queue has no limits. With limits it always requests its slot, and may get it at once.
    var needsNoSlot: Bool { currentAdmission == nil }

    /// Whether the caller is a thread of a queue, other than the main thread.
    var isOnQueue: Bool {
        guard let current = OperationQueue.current else { return false }
        return current !== OperationQueue.main
    }

    /// Whether it is in the queue of the caller's thread, which then probably starts it.
    var isInCurrentQueue: Bool {
        OperationQueue.current?.operations.contains { $0 === self } == true
    }

    /// Adds itself to a queue, once. Not under the lock, for which the thread that starts it would wait.
    ///
    /// - Parameter limiter: the manager's, for a queue that has none of its own.
    func enter(
        _ queue: OperationQueue, limiter: OperationLimiter? = nil,
        _ member: QueueMember = QueueMember(), _ order: ResultOrder = ResultOrder()
    ) {
        guard mayEnter, !wasEntered.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if order.isSet { lock.withLock { guarded.rareValues.resultOrder = order } }
        EventRecorder.instant(.enqueued, subject: number)
        noteQueued()
        queue.take(self, limiter, member) { add(to: queue) }
    }

    private func add(to queue: OperationQueue) {
        if state == .finished { return }
        let (wasReady, before) = (isReady, visible.counted)
        queue.addTaken(self)
        if wasReady, visible.counted == before { return }
        announceReadinessAgain()
    }

    /// Foundation reads `isReady`, and stores the value later. A change in between would be lost.
    func announceReadinessAgain() {
        send { OperationMachine.Actions(announcesReady: state == .ready) }
    }
}

extension URLConnectionOperation: DependentObject {
    func announcing(_ announce: () -> Void) {
        visible.announcing(announce)
        announceReadinessAgain()
        if currentAdmission != nil { requestOrTakeSlot() }
    }
}

extension URLConnectionOperation: LimitedOperation {
    func join(_ limiter: OperationLimiter, _ member: QueueMember) {
        // Not under the lock: a subclass may override what it reads.
        let new = currentAdmission == nil ? makeAdmission(limiter, member) : nil
        requestOrTakeSlot(new)
    }

    /// Requests a slot if it could start, or takes one if it runs already. With its slot, a started operation begins.
    private func requestOrTakeSlot(_ new: Admission? = nil) {
        let areDependenciesDone = areDependenciesDone
        send {
            if let new, currentAdmission == nil {
                admission = new
                hasAdmission.store(true, ordering: .releasing)
            }
            return guarded.machine.slotNeeded(areDependenciesDone: areDependenciesDone)
        }
        if new != nil { currentAdmission?.followPriority(of: self) }
    }

    private func makeAdmission(_ limiter: OperationLimiter, _ member: QueueMember) -> Admission {
        var member = member
        member.isOverSocket = read(\.settings.configuration.unixDomainSocketPath) != nil
        return Admission(
            limiter, Admission.Needs(request.url, member), TransferPriority(of: self),
            cancel: { [weak self] in self?.cancel() }
        ) { [weak self] in self?.requestOrTakeSlot() }
    }

    func withdrawSlotUnlessReady() {
        guard currentAdmission != nil, !areDependenciesDone else { return }
        send { guarded.machine.dependencyAdded() }
        // The dependency may have ended meanwhile.
        if areDependenciesDone { requestOrTakeSlot() }
    }

    var loadWait: LoadWait? { Waiting.wait(of: waiting.load(ordering: .relaxed)) }

    /// Publishes what the connection waits for.
    func note(_ wait: LoadWait?) {
        waiting.store(Waiting.number(of: wait), ordering: .relaxed)
    }

    var currentAdmission: Admission? {
        hasAdmission.load(ordering: .acquiring) ? admission : nil
    }
}

/// What a connection waits for, as the number in an atomic.
enum Waiting {
    static let nothing: UInt64 = 0
    private static let connection: UInt64 = 1

    /// The date of a try is its milliseconds since 1970, which are more than one.
    static func number(of wait: LoadWait?) -> UInt64 {
        switch wait {
        case nil: nothing
        case .connection: connection
        case .retry(let date): UInt64(max(2, date.timeIntervalSince1970 * 1_000))
        }
    }

    static func wait(of number: UInt64) -> LoadWait? {
        switch number {
        case nothing: nil
        case connection: .connection
        default: .retry(at: Date(timeIntervalSince1970: Double(number) / 1_000))
        }
    }
}

extension OperationQueue {
    /// Prepares an operation for the queue's barriers and limits, and then calls `enter`, which adds it with `addTaken`.
    ///
    /// - Parameter limiter: for a queue that has none of its own.
    func take(
        _ operation: any LimitedOperation, _ limiter: OperationLimiter?, _ member: QueueMember,
        _ enter: () -> Void
    ) {
        if let queue = self as? ManagerQueue { return queue.take(operation, member, enter) }
        if let limiter { operation.join(limiter, member) }
        enter()
    }

    /// Adds an operation that `take` has prepared.
    func addTaken(_ operation: Operation) {
        guard let queue = self as? ManagerQueue else { return addOperation(operation) }
        queue.addKnown(operation)
    }
}
