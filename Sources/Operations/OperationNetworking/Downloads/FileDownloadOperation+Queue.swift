import CurlConnection
import Foundation
import FoundationNetworking
import Locking
import Scheduling

// A download in a manager's queue with limits.

extension FileDownloadOperation: LimitedOperation, DependentObject {
    func announcing(_ announce: () -> Void) {
        announce()
        announceReadinessAgain()
        // While it runs, the announcement is for the slot of its next try.
        let admission = state.withLock { state in
            state.phase == .ready || state.phase == .waiting ? state.admission : nil
        }
        admission?.lookAgain()
    }

    var currentAdmission: Admission? { state.withLock { $0.admission } }

    /// What it waits for while it is executing: the next try, or the first connection.
    var loadWait: LoadWait? {
        let (retry, first) = state.withLock { state in
            (state.retry, state.transfers.first { $0 === state.first })
        }
        return retry.map { .retry(at: $0) } ?? first?.loadWait
    }

    /// Adds the download to a queue, unless it is in one or was started, for which Foundation stops the process.
    ///
    /// - Parameter limiter: the manager's, for a queue without one; nil for no limits.
    func addOnce(to queue: OperationQueue, limiter: OperationLimiter?, _ member: QueueMember) {
        let isFirst = state.withLock { state in
            guard state.phase == .ready, !state.wasAdded else { return false }
            state.wasAdded = true
            state.member = member
            return true
        }
        guard isFirst else { return }
        queue.prepare(self, limiter, member) {
            queue.addPrepared(self)
            announceReadinessAgain()
        }
    }

    /// Foundation reads `isReady`, and stores the value later. A change in between would be lost.
    func announceReadinessAgain() {
        if isReady { didChangeValue(forKey: "isReady") }
    }

    func join(_ limiter: OperationLimiter, _ member: QueueMember) {
        let new = makeAdmission(limiter, Admission.Needs(request.url, member)) { [weak self] in
            self?.requestSlot()
        }
        let isExecuting = state.withLock { state in
            if state.admission == nil { state.admission = new }
            return state.phase == .executing
        }
        currentAdmission?.followPriority(of: self)
        guard isExecuting else { return requestSlot() }
        currentAdmission?.begin()
        // The queue's first limit may be set while it waits for its next try.
        if state.withLock({ $0.retry != nil }) { releaseSlot() }
    }

    /// Whether it needs no slot now: it waits for dependencies, or will end when it is started.
    var mustWithdraw: Bool {
        (isCancelled || !areDependenciesDone)
            && state.withLock { $0.phase == .ready || $0.phase == .waiting }
    }

    /// Asks for a slot. If there is one and it was started, it begins.
    func requestSlot() {
        let (admission, phase) = state.withLock { ($0.admission, $0.phase) }
        guard let admission, phase == .ready || phase == .waiting else { return }
        while true {
            let hasSlot = !mustWithdraw && admission.ask()
            guard mustWithdraw else {
                // It may have been started meanwhile.
                if hasSlot, state.withLock({ $0.phase }) == .waiting { begin() }
                return
            }
            // A cancel or a dependency may have come before there was a request to withdraw.
            admission.withdraw()
            // A dependency that ends from now on has the slot requested again; one that ended before that has not.
            if mustWithdraw { return }
        }
    }

    /// Releases its slot, but not the one in the queue's width, while it waits for its next try.
    func releaseSlot() {
        let admission = state.withLock { state in
            if state.queueAdmission == nil { state.queueAdmission = state.admission }
            return state.admission
        }
        admission?.waitForRetry()
    }

    /// Asks for a slot for the next try.
    ///
    /// - Parameter taken: called once there is one, on this thread or on the limiter's queue.
    func requestSlot(_ taken: @escaping @Sendable () -> Void) {
        guard let old = currentAdmission else { return taken() }
        // The first limit may have been set since the wait began.
        releaseSlot()
        var needs = old.needs
        needs.countsInWidth = false
        let admission = makeAdmission(old.limiter, needs, taken)
        state.withLock { $0.admission = admission }
        admission.followPriority(of: self)
        if admission.ask() { taken() }
    }

    /// For a further connection's slot. It counts for the origin, and not for the queue and the group, which count
    /// downloads.
    func furtherAdmission() -> Admission? {
        guard let admission = currentAdmission else { return nil }
        var needs = admission.needs
        (needs.group, needs.countsInWidth) = (nil, false)
        return makeAdmission(admission.limiter, needs) {}
    }

    func releaseSlots() {
        let (admission, queueAdmission) = state.withLock { ($0.admission, $0.queueAdmission) }
        admission?.leave()
        queueAdmission?.leave()
    }

    private func makeAdmission(
        _ limiter: OperationLimiter, _ needs: Admission.Needs,
        _ announce: @escaping @Sendable () -> Void
    ) -> Admission {
        Admission(
            limiter, needs, TransferPriority(of: self), cancel: { [weak self] in self?.cancel() },
            announce: announce)
    }
}

extension OperationManager {
    /// Adds a download to the queue, which starts it when it is ready and the limits allow it.
    ///
    /// It counts as one operation of the queue, of its origin and of its group. While it waits for its next try, it
    /// counts for the queue alone. A download that was enqueued or started before is ignored.
    ///
    /// - Parameter group: see `setMaxConcurrentOperationCount(_:ofGroup:)`.
    public func enqueue(_ download: FileDownloadOperation, group: String? = nil) {
        let queue = operationQueue
        download.addOnce(
            to: queue, limiter: limiter(of: queue, for: group),
            QueueMember(group: group, manager: number, isOverSocket: isOverSocket))
    }
}
