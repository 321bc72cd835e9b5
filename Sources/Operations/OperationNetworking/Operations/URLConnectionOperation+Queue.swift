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

    /// Whether the manager's gate lets it, which is ready, start. A cancelled one starts, and ends so.
    ///
    /// What takes its readiness away withdraws what it asked for; one that asked a moment later does so itself.
    var isAdmitted: Bool {
        guard let admission = currentAdmission else { return true }
        while true {
            let isAdmitted = isCancelled || admission.mayStart
            if !mustWithdraw { return isAdmitted }
            admission.withdraw()
            // It may be ready again by now, and then nobody else would ask.
            if mustWithdraw { return false }
        }
    }

    /// Whether it must not keep a place, or wait for one. One that has begun keeps its own: the gate knows.
    private var mustWithdraw: Bool {
        switch state {
        case .paused: true
        case .ready: !areDependenciesDone
        case .executing, .finished: false
        }
    }

    /// Lets others have its place in the gate where it cannot start now; it asks again once it is ready.
    func withdrawUnlessReady() {
        if let admission = currentAdmission, mustWithdraw { admission.withdraw() }
    }

    /// Whether this call of `start` is its queue's, which calls it once: a dependency that was added since then
    /// comes too late, or nobody would start it any more.
    var isStartedByQueue: Bool {
        guard wasEntered.load(ordering: .acquiring), let current = OperationQueue.current else {
            return false
        }
        return current !== OperationQueue.main
    }

    private func take(_ gate: AdmissionGate?, _ group: String?) {
        guard let gate else { return }
        let path = lock.withLock { guarded.settings.configuration.unixDomainSocketPath }
        let admission = Admission(
            gate, to: request.url, group: group, priority: TransferPriority(queuePriority),
            isOverSocket: path != nil, cancel: { [weak self] in self?.cancel() }
        ) { [weak self] in self?.announceAdmission() }
        lock.withLock { guarded.finishHooks.append { admission.leave() } }
        self.admission = admission
        hasAdmission.store(true, ordering: .releasing)
    }

    private func announceAdmission() {
        lock.withLock {
            if isReady { didChangeValue(forKey: OperationMachine.Key.ready.keyPath) }
        }
    }

    /// Adds itself to a queue, once. Not under the lock: the thread that starts it would wait for the
    /// lock.
    ///
    /// - Parameters:
    ///   - gate: holds it back; nil where there is none.
    ///   - group: the caller's name for those that share a limit.
    ///   - order: what its manager asks of its result.
    func enter(
        _ queue: OperationQueue, through gate: AdmissionGate? = nil, group: String? = nil,
        _ order: ResultOrder = ResultOrder()
    ) {
        guard mayEnter, !wasEntered.exchange(true, ordering: .acquiringAndReleasing) else { return }
        take(gate, group)
        if order.isAsked { lock.withLock { guarded.resultOrder = order } }
        EventRecorder.instant(.enqueued, subject: number)
        noteQueued()
        queue.take(self, through: gate) {
            if !isHeldOut(of: queue) { add(to: queue) }
        }
    }

    /// Whether the gate holds it until it may start. What waits for others waits in the queue, and is asked
    /// when they have ended.
    private func isHeldOut(of queue: OperationQueue) -> Bool {
        guard let admission, state == .ready, !isCancelled, areDependenciesDone else {
            return false
        }
        let held = Admission.Held(operation: self, queue: queue) { self.add(to: queue) }
        let isIn = admission.mayEnter(or: held)
        // What came in between found nothing to let go, or to withdraw.
        if !isIn, isCancelled { admission.letGo() }
        withdrawUnlessReady()
        return !isIn
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
    func announcing(_ announce: () -> Void) { visible.announcing(announce) }
}

extension URLConnectionOperation: GatedOperation {
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
    /// Takes an operation that `addTaken` adds, at once or when a gate lets it in.
    func take(_ operation: Operation, through gate: AdmissionGate?, _ enter: () -> Void) {
        guard let queue = self as? ManagerQueue else { return enter() }
        if let gate { queue.note(gate) }
        queue.take([operation], enter)
    }

    /// Adds an operation that was taken before.
    func addTaken(_ operation: Operation) {
        guard let queue = self as? ManagerQueue else { return addOperation(operation) }
        queue.addKnown(operation)
    }
}
