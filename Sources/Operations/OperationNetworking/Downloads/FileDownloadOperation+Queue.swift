import CurlConnection
import Foundation
import FoundationNetworking
import Locking
import Scheduling

// How a download goes into a manager's queue and through its gate.

extension FileDownloadOperation: GatedOperation, DependentObject {
    func announcing(_ announce: () -> Void) { announce() }

    /// Whether the manager's gate, if it has one, lets it start. A cancelled one starts, and ends so.
    var isAdmitted: Bool {
        guard let admission = currentAdmission else { return true }
        while true {
            let isAdmitted = isCancelled || admission.mayStart
            if !mustWithdraw { return isAdmitted }
            // A dependency came in between.
            admission.withdraw()
            if mustWithdraw { return false }
        }
    }

    /// Whether it must not keep a place, or wait for one: it waits for others.
    private var mustWithdraw: Bool {
        !areDependenciesDone && state.withLock { $0.phase == .ready }
    }

    /// Lets others have its place in the gate where it cannot start now; it asks again once it is ready.
    func withdrawUnlessReady() {
        if let admission = currentAdmission, mustWithdraw { admission.withdraw() }
    }

    var currentAdmission: Admission? { state.withLock { $0.admission } }

    /// What it waits for while it runs: its next try, or the connection for the first of a try.
    var loadWait: LoadWait? {
        let (retry, first) = state.withLock { state in
            (state.retry, state.transfers.first { $0 === state.first })
        }
        return retry.map { .retry(at: $0) } ?? first?.loadWait
    }

    /// Adds itself to a queue, once, or has the gate do so once it may start. Foundation stops the process for one
    /// that is in a queue, runs or has ended.
    ///
    /// - Parameters:
    ///   - gate: holds it back; nil where there is none.
    ///   - group: the caller's name for those that share a limit.
    ///   - isOverSocket: whether its connections go to a socket of this machine.
    func enter(
        _ queue: OperationQueue, through gate: AdmissionGate?, group: String?, isOverSocket: Bool
    ) {
        let isFirst = state.withLock { state in
            guard state.phase == .ready, !state.wasEntered else { return false }
            state.wasEntered = true
            return true
        }
        guard isFirst else { return }
        queue.take(self, through: gate) {
            if let gate {
                state.withLock { $0.isOverSocket = isOverSocket }
                let admission = makeAdmission(gate, group) { [weak self] in
                    self?.didChangeValue(forKey: OperationMachine.Key.ready.keyPath)
                }
                state.withLock { ($0.admission, $0.group) = (admission, group) }
                if isHeldOut(of: queue, admission) { return }
            }
            add(to: queue)
        }
    }

    /// Whether the gate holds it until it may start, as it does an operation of a connection.
    private func isHeldOut(of queue: OperationQueue, _ admission: Admission) -> Bool {
        guard areDependenciesDone, !isCancelled else { return false }
        let held = Admission.Held(operation: self, queue: queue) { self.add(to: queue) }
        let isIn = admission.mayEnter(or: held)
        // What came in between found nothing to let go, or to withdraw.
        if !isIn, isCancelled { admission.letGo() }
        withdrawUnlessReady()
        return !isIn
    }

    private func add(to queue: OperationQueue) {
        queue.addTaken(self)
        // The queue reads `isReady` and stores the value later. A place that was given in between is told
        // again.
        if currentAdmission != nil, !isExecuting, isReady {
            didChangeValue(forKey: OperationMachine.Key.ready.keyPath)
        }
    }

    /// Lets others have its place while it waits for its next try.
    func leavePlace() { currentAdmission?.leave() }

    /// Asks for a place again.
    ///
    /// - Parameter taken: called once there is one, here or on the gate's queue.
    func takePlace(_ taken: @escaping @Sendable () -> Void) {
        let (old, group) = state.withLock { ($0.admission, $0.group) }
        guard let gate = old?.gate else { return taken() }
        let admission = makeAdmission(gate, group, taken)
        state.withLock { $0.admission = admission }
        if admission.mayStart { taken() }
    }

    /// One more connection's way through the gate, where there is one. It counts for the origin, and not for
    /// the group, which counts downloads.
    func furtherAdmission() -> Admission? {
        currentAdmission.map { makeAdmission($0.gate, nil) {} }
    }

    private func makeAdmission(
        _ gate: AdmissionGate, _ group: String?, _ announce: @escaping @Sendable () -> Void
    ) -> Admission {
        Admission(
            gate, to: request.url, group: group, priority: TransferPriority(queuePriority),
            isOverSocket: state.withLock { $0.isOverSocket },
            cancel: { [weak self] in self?.cancel() }, announce: announce)
    }
}

extension OperationManager {
    /// Adds a download; the queue starts it when it is ready and the limits allow it.
    ///
    /// It counts as one operation of the queue, of its origin and of its group. While it waits for its next
    /// try, others may have its place in the last two; in the queue it keeps it. One that a manager has
    /// enqueued before, that was started or has ended is ignored.
    ///
    /// - Parameter group: a group of the caller's; see `setMaxConcurrentOperationCount(_:ofGroup:)`.
    public func enqueue(_ download: FileDownloadOperation, group: String? = nil) {
        download.enter(
            operationQueue, through: group == nil ? existingGate : gate, group: group,
            isOverSocket: isOverSocket)
    }
}
