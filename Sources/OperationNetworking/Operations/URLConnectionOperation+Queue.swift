import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking
import Synchronization

// How an operation goes into a queue.

extension URLConnectionOperation {
    /// Whether a queue may take it: Foundation stops the process for one that is in a queue, runs or
    /// has ended.
    var mayEnter: Bool {
        !wasEntered.load(ordering: .acquiring)
            && lock.withLock { guarded.run == 0 && state != .finished }
    }

    /// Whether the manager's gate, if it has one, lets it start. A cancelled one starts, and ends so.
    var isAdmitted: Bool {
        guard hasAdmission.load(ordering: .acquiring), let admission else { return true }
        return isCancelled || admission.mayStart
    }

    private func take(_ gate: AdmissionGate?, _ group: String?) {
        guard let gate else { return }
        let path = lock.withLock { guarded.settings.configuration.unixDomainSocketPath }
        let admission = Admission(
            gate, to: request.url, group: group, priority: TransferPriority(queuePriority),
            isOverSocket: path != nil
        ) { [weak self] in self?.announceAdmission() }
        lock.withLock { guarded.finishHooks.append { admission.leave() } }
        self.admission = admission
        hasAdmission.store(true, ordering: .releasing)
    }

    private func announceAdmission() {
        lock.withLock {
            if isReady { didChangeValue(forKey: OperationState.ready.keyPath) }
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
        if isHeldOut(of: queue) { return }
        add(to: queue)
    }

    /// Whether the gate holds it until it may start. What waits for others waits in the queue, and is asked
    /// when they have ended.
    private func isHeldOut(of queue: OperationQueue) -> Bool {
        guard let admission, state == .ready, !isCancelled, areDependenciesDone else {
            return false
        }
        let isIn = admission.mayEnter(or: Admission.Held(operation: self) { self.add(to: queue) })
        // A cancel that came in between found nothing to let go.
        if !isIn, isCancelled { admission.letGo() }
        return !isIn
    }

    private func add(to queue: OperationQueue) {
        if state == .finished { return }
        let (wasReady, before) = (isReady, stateNow.load(ordering: .acquiring))
        queue.addOperation(self)
        // The queue reads `isReady` and stores the value later. An announcement in between (a resume, a
        // cancel, the end of a dependency) would be lost, so it is repeated.
        guard state == .ready, !wasReady || stateNow.load(ordering: .acquiring) != before else {
            return
        }
        lock.withLock {
            if isReady { didChangeValue(forKey: OperationState.ready.keyPath) }
        }
    }
}
