import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking
import Scheduling
import Synchronization

// How an operation goes into a queue.

extension URLConnectionOperation {
    /// Whether a queue may take it: Foundation stops the process for one that is in a queue, runs or
    /// has ended.
    var mayEnter: Bool {
        !wasEntered.load(ordering: .acquiring)
            && lock.withLock { !guarded.machine.wasStarted && state != .finished }
    }

    /// Whether it has its place, or needs none.
    var mayRun: Bool { currentAdmission?.mayStart ?? true }

    /// Whether this call of `start` is its queue's, which calls it once: a dependency that was added since then
    /// comes too late, or nobody would start it any more.
    var isStartedByQueue: Bool {
        guard wasEntered.load(ordering: .acquiring), let current = OperationQueue.current else {
            return false
        }
        return current !== OperationQueue.main
    }

    /// Adds itself to a queue, once. Not under the lock: the thread that starts it would wait for the
    /// lock.
    ///
    /// - Parameters:
    ///   - limiter: that of its manager, for a queue that has none of its own; nil where there is none.
    ///   - order: what its manager asks of its result.
    func enter(
        _ queue: OperationQueue, limiter: OperationLimiter? = nil,
        _ member: QueueMember = QueueMember(), _ order: ResultOrder = ResultOrder()
    ) {
        guard mayEnter, !wasEntered.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if order.isAsked { lock.withLock { guarded.resultOrder = order } }
        EventRecorder.instant(.enqueued, subject: number)
        noteQueued()
        queue.take(self, limiter, member) { add(to: queue) }
    }

    private func add(to queue: OperationQueue) {
        if state == .finished { return }
        let (wasReady, before) = (isReady, visible.counted)
        queue.addTaken(self)
        // The queue reads `isReady` and stores the value later. An announcement in between (a resume, a
        // cancel, the end of a dependency) would be lost, so it is repeated.
        guard state == .ready, !wasReady || visible.counted != before else {
            return
        }
        lock.withLock {
            if isReady { didChangeValue(forKey: OperationMachine.Key.ready.keyPath) }
        }
    }
}

extension URLConnectionOperation: DependentObject {
    func announcing(_ announce: () -> Void) {
        visible.announcing(announce)
        currentAdmission?.lookAgain()
    }
}

extension URLConnectionOperation: LimitedOperation {
    func join(_ limiter: OperationLimiter, _ member: QueueMember) {
        // Not under the lock: a subclass may override what it reads.
        let new = currentAdmission == nil ? makeAdmission(limiter, member) : nil
        act {
            if let new, currentAdmission == nil {
                admission = new
                hasAdmission.store(true, ordering: .releasing)
            }
            perform(guarded.machine.limited(areDependenciesDone: areDependenciesDone))
        }
    }

    private func makeAdmission(_ limiter: OperationLimiter, _ member: QueueMember) -> Admission {
        var member = member
        member.isOverSocket = read(\.settings.configuration.unixDomainSocketPath) != nil
        return Admission(
            limiter, Admission.Needs(request.url, member), TransferPriority(of: self),
            cancel: { [weak self] in self?.cancel() }
        ) { [weak self] in self?.takePlace() }
    }

    func movePlace() { currentAdmission?.move(to: TransferPriority(of: self)) }

    func leavePlaceUnlessReady() {
        guard currentAdmission != nil, !areDependenciesDone else { return }
        act { perform(guarded.machine.dependencyAdded()) }
    }

    /// Asks again after a pause. The lock is held.
    func askForPlaceUnlessStarted() {
        guard currentAdmission != nil, !guarded.machine.wasStarted else { return }
        perform(guarded.machine.limited(areDependenciesDone: areDependenciesDone))
    }

    /// It may have its place, or ask for it: what was announced may be withdrawn by now.
    private func takePlace() {
        act {
            perform(
                mayRun
                    ? guarded.machine.placeGiven()
                    : guarded.machine.limited(areDependenciesDone: areDependenciesDone))
        }
    }

    var loadWait: LoadWait? { Waiting.wait(of: waiting.load(ordering: .relaxed)) }

    /// What the connection waits for, for who asks without a lock.
    func note(_ wait: LoadWait?) {
        waiting.store(Waiting.number(of: wait), ordering: .relaxed)
    }

    var currentAdmission: Admission? {
        hasAdmission.load(ordering: .acquiring) ? admission : nil
    }
}

/// What a connection waits for, as one number that any thread reads.
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
    /// Takes an operation that `addTaken` adds, and has it ask for its place.
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

    /// Adds an operation that was taken before.
    func addTaken(_ operation: Operation) {
        guard let queue = self as? ManagerQueue else { return addOperation(operation) }
        queue.addKnown(operation)
    }
}
