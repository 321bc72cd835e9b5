import CurlConnection
import Foundation
import FoundationNetworking
import Locking
import Scheduling

// How a download goes into a manager's queue, and to its place there.

extension FileDownloadOperation: LimitedOperation, DependentObject {
    func announcing(_ announce: () -> Void) {
        announce()
        currentAdmission?.lookAgain()
    }

    var currentAdmission: Admission? { state.withLock { $0.admission } }

    /// What it waits for while it runs: its next try, or the connection for the first of a try.
    var loadWait: LoadWait? {
        let (retry, first) = state.withLock { state in
            (state.retry, state.transfers.first { $0 === state.first })
        }
        return retry.map { .retry(at: $0) } ?? first?.loadWait
    }

    /// Adds itself to a queue, once. Foundation stops the process for one that is in a queue, runs or
    /// has ended.
    ///
    /// - Parameter limiter: that of its manager, for a queue that has none of its own; nil where there is none.
    func enter(_ queue: OperationQueue, limiter: OperationLimiter?, _ member: QueueMember) {
        let isFirst = state.withLock { state in
            guard state.phase == .ready, !state.wasEntered else { return false }
            state.wasEntered = true
            state.member = member
            return true
        }
        guard isFirst else { return }
        queue.take(self, limiter, member) { queue.addTaken(self) }
    }

    func join(_ limiter: OperationLimiter, _ member: QueueMember) {
        let new = makeAdmission(limiter, Admission.Needs(request.url, member)) { [weak self] in
            self?.takePlace()
        }
        let isExecuting = state.withLock { state in
            if state.admission == nil { state.admission = new }
            return state.phase == .executing
        }
        if isExecuting { currentAdmission?.begin() } else { takePlace() }
    }

    /// Whether it can start only when others have ended, or will end at its start.
    var mustWithdraw: Bool {
        (isCancelled || !areDependenciesDone)
            && state.withLock { $0.phase == .ready || $0.phase == .waiting }
    }

    /// Asks for its place, and begins with it where it was started.
    func takePlace() {
        let (admission, phase) = state.withLock { ($0.admission, $0.phase) }
        guard let admission, phase == .ready || phase == .waiting else { return }
        let hasPlace = !mustWithdraw && admission.ask()
        // What came in between found nothing to withdraw.
        if mustWithdraw { return admission.withdraw() }
        if hasPlace, phase == .waiting { begin() }
    }

    /// Lets others have its place while it waits for its next try, but that in the queue.
    func leavePlace() {
        let admission = state.withLock { state in
            if state.placeInQueue == nil { state.placeInQueue = state.admission }
            return state.admission
        }
        admission?.rest()
    }

    /// Asks for a place again.
    ///
    /// - Parameter taken: called once there is one, here or on the limiter's queue.
    func takePlace(_ taken: @escaping @Sendable () -> Void) {
        guard let old = currentAdmission else { return taken() }
        var needs = old.needs
        needs.countsInWidth = false
        let admission = makeAdmission(old.limiter, needs, taken)
        state.withLock { $0.admission = admission }
        if admission.ask() { taken() }
    }

    /// One more connection's way to a place. It counts for the origin, and neither for the queue nor for the group,
    /// which count downloads.
    func furtherAdmission() -> Admission? {
        guard let admission = currentAdmission else { return nil }
        var needs = admission.needs
        (needs.group, needs.countsInWidth) = (nil, false)
        return makeAdmission(admission.limiter, needs) {}
    }

    func leavePlaces() {
        let (admission, placeInQueue) = state.withLock { ($0.admission, $0.placeInQueue) }
        admission?.leave()
        placeInQueue?.leave()
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
    /// Adds a download; the queue starts it when it is ready and the limits allow it.
    ///
    /// It counts as one operation of the queue, of its origin and of its group. While it waits for its next
    /// try, others may have its place in the last two; in the queue it keeps it. One that a manager has
    /// enqueued before, that was started or has ended is ignored.
    ///
    /// - Parameter group: a group of the caller's; see `setMaxConcurrentOperationCount(_:ofGroup:)`.
    public func enqueue(_ download: FileDownloadOperation, group: String? = nil) {
        let queue = operationQueue
        download.enter(
            queue, limiter: limiter(of: queue, for: group),
            QueueMember(group: group, manager: number, isOverSocket: isOverSocket))
    }
}
