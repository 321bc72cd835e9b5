import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics
import OperationNetworking

// How a handle drives its transfers. Decisions on redirects and challenges are passed on under the
// lock that guards its steps: Foundation crashes when a decision follows a cancellation.
extension SessionTask {
    /// The words of a recording for this task.
    var eventText: EventText { EventText(recorded: source.methodAndURL) }

    /// Starts the transfer or goes on with it; makes a new one after a suspension without it.
    func start() {
        if SharedQueue.isCurrent { return SharedQueue.outside.async { self.start() } }
        guard let session = lock.withLock({ values.session }) else { return }
        if let reason = session.objection(to: source) { return fail(with: reason) }
        lock.withLock { values.transfer }?.prepare()
        let mustMake = driving.withLock {
            let transfer = lock.withLock { () -> (any TaskTransfer)?? in
                guard values.phase == .live, values.suspendCount == 0, !values.isTransferStarted
                else { return .none }
                values.isTransferStarted = values.transfer != nil
                values.wasTransferStarted = values.wasTransferStarted || values.isTransferStarted
                return .some(values.transfer)
            }
            guard let transfer else { return false }
            transfer?.resume()
            return transfer == nil
        }
        // The delegate queue may still hold calls of the last transfer.
        if mustMake { session.delegateQueue.addOperation { self.startAnew() } }
    }

    /// On the delegate queue.
    private func startAnew() {
        do {
            let request = file?.begin(source.request) ?? source.request
            let session = try driving.withLock { try makeAndStart(request) }
            if session?.carrier.isCancelled == true { cancel() }
        } catch {
            fail(with: error)
        }
    }

    /// - Returns: the session; nil when no transfer is needed any more.
    private func makeAndStart(_ request: URLRequest) throws -> TaskSession? {
        guard let session = lock.withLock({ isWaiting ? values.session : nil }) else { return nil }
        guard let transfer = try session.carrier.makeTransfer(source, request, stream) else {
            throw SessionError.sessionInvalidated
        }
        transfer.attach(to: self)
        let isWanted = lock.withLock {
            guard isWaiting else { return false }
            values.transfer = transfer
            values.isTransferStarted = true
            values.wasTransferStarted = true
            values.counts.sent = 0
            return true
        }
        if isWanted { transfer.resume() } else { transfer.abandon() }
        return session
    }

    /// Whether it must run and has no transfer. Called under the lock.
    private var isWaiting: Bool {
        values.phase == .live && values.suspendCount == 0 && values.transfer == nil
    }

    /// Changes the values and holds or stops the transfer where the change requires it, before any
    /// other step. On the queue that all sessions share the stop comes later, because it waits for
    /// that queue.
    func stopping<Change>(_ change: (inout Values) -> (Change, Step?)) -> Change {
        if SharedQueue.isCurrent {
            let (result, step) = lock.withLock { change(&values) }
            if let step {
                SharedQueue.outside.async { self.driving.withLock { self.take(step) } }
            }
            return result
        }
        return driving.withLock {
            let (result, step) = lock.withLock { change(&values) }
            if let step { take(step) }
            return result
        }
    }

    private func take(_ step: Step) {
        switch step {
        case .hold(let transfer): transfer.suspend()
        case .stop(let transfer):
            if lock.withLock({ values.ended !== transfer }) { transfer.cancel() }
        }
    }

    /// The download that goes on in place of this data task.
    var successor: SessionDownloadTask? { lock.withLock { values.successor } }

    // MARK: - Ending

    /// - Parameter resumeData: called with the resume data of a download.
    func cancel(with resumeData: (@Sendable (Data?) -> Void)?) {
        let queue = lock.withLock { values.session ?? values.unheardFailure }?.delegateQueue
        guard end(with: nil, resumeData) else {
            if let successor { return successor.cancel(with: resumeData) }
            if let resumeData {
                (queue ?? .main).addOperation { resumeData(nil) }
            }
            return tellOfFailure()
        }
        EventRecorder.instant(.sessionTaskState, subject: number, text: Text.cancelled)
    }

    /// Ends the task with an error that is not the transport's.
    package func fail(with reason: any Error) {
        _ = end(with: reason, nil)
    }

    /// - Returns: false when the task has already ended.
    private func end(
        with reason: (any Error)?, _ resumeData: (@Sendable (Data?) -> Void)?
    ) -> Bool {
        var wasStarted = false
        let session = stopping { values -> (TaskSession?, Step?) in
            guard values.phase == .live, let session = values.session else { return (nil, nil) }
            wasStarted = values.wasTransferStarted && values.transfer != nil
            values.phase = .cancelling
            values.reason = reason
            values.wantsResumeData = resumeData
            return (session, values.transfer.map { .stop($0) })
        }
        guard let session else { return false }
        progress.endStreams()
        // Foundation does not report the end of a task whose URL it cannot load.
        if !wasStarted {
            session.delegateQueue.addOperation { session.finish(self, URLError(.cancelled)) }
        }
        return true
    }

    /// Tells the delegate of a task that could not be made, once; also where the session is invalid by now.
    func tellOfFailure() {
        let (session, error) = lock.withLock {
            defer { values.unheardFailure = nil }
            return (values.unheardFailure, values.error)
        }
        guard let session else { return }
        session.tellObserver(ofEndOf: self, error)
        guard let delegate = session.lastDelegate else { return }
        session.delegateQueue.addOperation {
            delegate.session(session, task: self, didCompleteWithError: error)
        }
    }

    // MARK: - What transfers ask

    /// Notes that a transfer has ended. It waits for a running step: Foundation crashes when a task
    /// ends between the two steps of its cancellation.
    ///
    /// - Returns: whether it is the present one of this task.
    func noteEnd(of transfer: any TaskTransfer) -> Bool {
        driving.withLock {
            lock.withLock {
                values.ended = transfer
                return values.transfer === transfer
            }
        }
    }

    /// Whether the transfer is the present one of this task, and the end has not begun.
    func isPresent(_ transfer: any TaskTransfer) -> Bool {
        lock.withLock { values.phase == .live && values.transfer === transfer }
    }

    /// Passes a decision on, unless its task was cancelled or suspended meanwhile.
    func decide(_ transfer: any TaskTransfer, _ pass: @escaping @Sendable () -> Void) {
        if SharedQueue.isCurrent {
            return SharedQueue.outside.async { self.decide(transfer, pass) }
        }
        driving.withLock {
            if isPresent(transfer) { pass() }
        }
    }
}
