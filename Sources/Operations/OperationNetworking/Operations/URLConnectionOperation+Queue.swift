import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking
import Scheduling
import Synchronization

extension URLConnectionOperation {
    /// Whether it may be added to a queue. Foundation stops the process for an operation that is in a queue already,
    /// executes or has finished.
    var mayBeAdded: Bool {
        !wasAdded.load(ordering: .acquiring)
            && lock.withLock { !guarded.machine.wasStarted && state != .finished }
    }

    /// Whether it may load without a slot, because it has joined no limiter so far. With a limiter it always requests a
    /// slot, and may get it at once.
    var isUnlimited: Bool { currentAdmission == nil }

    /// Whether the calling thread is one of an operation queue, other than the main queue.
    static var callerIsOnQueue: Bool {
        guard let current = OperationQueue.current else { return false }
        return current !== OperationQueue.main
    }

    /// Whether it is in the calling thread's operation queue. If so, it is most likely that queue that calls `start()`.
    var isInCurrentQueue: Bool {
        OperationQueue.current?.operations.contains { $0 === self } == true
    }

    /// Adds itself to a queue, unless it was added or started before. Call it without the operation's lock: the queue
    /// may start the operation on another thread, which then takes that lock.
    ///
    /// - Parameter limiter: the manager's, for a queue that has none of its own.
    func addOnce(
        to queue: OperationQueue, limiter: OperationLimiter? = nil,
        _ member: QueueMember = QueueMember(), _ order: ResultOrder = ResultOrder()
    ) {
        guard mayBeAdded, !wasAdded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if order.isSet { lock.withLock { guarded.rareValues.resultOrder = order } }
        EventRecorder.instant(.enqueued, subject: number)
        noteQueued()
        queue.prepare(self, limiter, member) { add(to: queue) }
    }

    private func add(to queue: OperationQueue) {
        if state == .finished { return }
        let (wasReady, before) = (isReady, visible.counted)
        queue.addPrepared(self)
        if wasReady, visible.counted == before { return }
        announceReadinessAgain()
    }

    /// Notifies the queue that `isReady` may have changed. The queue reads `isReady` when the operation is added and
    /// stores the value later: it would miss a change in between.
    func announceReadinessAgain() {
        send { OperationMachine.Actions(announcesReady: state == .ready) }
    }
}

extension URLConnectionOperation: DependentObject {
    /// Called when a dependency has finished; `announce` notifies Foundation of that.
    func announcing(_ announce: () -> Void) {
        visible.announcing(announce)
        announceReadinessAgain()
        if currentAdmission != nil { requestOrTakeSlot() }
    }
}

extension URLConnectionOperation: LimitedOperation {
    func join(_ limiter: OperationLimiter, _ member: QueueMember) {
        // `makeAdmission` reads properties that a subclass may override, so it is called without the lock.
        let new = currentAdmission == nil ? makeAdmission(limiter, member) : nil
        requestOrTakeSlot(new)
    }

    /// Requests a slot if its dependencies have finished. An operation that is already loading takes a slot at once,
    /// whatever the limits. With its slot, the operation loads once `start()` is called, or at once if it was.
    ///
    /// - Parameter new: its entry in the limiter, when it joins.
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

    /// Gives its slot back, or withdraws its request, if it has to wait for a dependency: that dependency may need the
    /// slot.
    func withdrawSlotUnlessReady() {
        guard currentAdmission != nil, !areDependenciesDone else { return }
        send { guarded.machine.dependencyAdded() }
        // If the dependency finished after the `guard`, its end made the operation request a slot, and the line above
        // may have withdrawn that request. Nothing else would request a slot.
        if areDependenciesDone { requestOrTakeSlot() }
    }

    var loadWait: LoadWait? { Waiting.wait(of: waiting.load(ordering: .relaxed)) }

    /// Stores what the load waits for, so that `loadWait` can be read on any thread.
    func note(_ wait: LoadWait?) {
        waiting.store(Waiting.number(of: wait), ordering: .relaxed)
    }

    /// Its slot in a limiter, or its request for a slot; nil while it has joined no limiter.
    var currentAdmission: Admission? {
        hasAdmission.load(ordering: .acquiring) ? admission : nil
    }
}

/// What a load waits for, as a number that an atomic can hold.
///
/// 0 stands for nothing, and 1 for a network connection to the server. Any other number is the date of the next try, in
/// milliseconds since 1970.
enum Waiting {
    static let nothing: UInt64 = 0
    private static let connection: UInt64 = 1

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
    /// Prepares an operation for the queue's barriers and limits, and then calls `add`, which adds it with
    /// `addPrepared`.
    ///
    /// - Parameter limiter: the manager's, for a queue that has none of its own.
    func prepare(
        _ operation: any LimitedOperation, _ limiter: OperationLimiter?, _ member: QueueMember,
        _ add: () -> Void
    ) {
        if let queue = self as? ManagerQueue { return queue.prepare(operation, member, add) }
        if let limiter { operation.join(limiter, member) }
        add()
    }

    /// Adds an operation that `prepare` has prepared.
    func addPrepared(_ operation: Operation) {
        guard let queue = self as? ManagerQueue else { return addOperation(operation) }
        queue.addWithoutPreparing(operation)
    }
}
