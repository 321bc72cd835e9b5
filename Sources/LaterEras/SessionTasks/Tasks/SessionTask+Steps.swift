import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics
import OperationNetworking

// How a handle drives its transfer.
extension SessionTask {
    /// The words of a recording for this task.
    var eventText: EventText { EventText(recorded: source.methodAndURL) }

    /// Starts the transfer or goes on with it.
    func start() {
        guard let session = lock.withLock({ values.session }) else { return }
        if let reason = session.objection(to: source) { return fail(with: reason) }
        lock.withLock { values.transfer }?.prepare()
        driving.withLock {
            let transfer = lock.withLock { () -> ConnectionTransfer? in
                guard values.phase == .live, values.suspendCount == 0, !values.isTransferStarted,
                    let transfer = values.transfer
                else { return nil }
                values.isTransferStarted = true
                values.wasTransferStarted = true
                return transfer
            }
            transfer?.resume()
        }
    }

    /// Changes the values and suspends or stops the transfer where the change requires it, before any
    /// other step.
    func stopping<Change>(_ change: (inout Values) -> (Change, Step?)) -> Change {
        driving.withLock {
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
        // A transfer that was never started reports no end.
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

    /// Notes and records the end, before any callback.
    func noteEnd(_ error: (any Error)?) {
        let wasStarted = lock.withLock {
            values.error = error
            return values.wasStarted
        }
        progress.endStreams()
        if wasStarted { EventRecorder.end(.sessionTask, subject: number) }
    }

    // MARK: - What transfers ask

    /// Notes that a transfer has ended, so that it is not stopped any more.
    ///
    /// - Returns: whether it is the present one of this task.
    func noteEnd(of transfer: ConnectionTransfer) -> Bool {
        driving.withLock {
            lock.withLock {
                values.ended = transfer
                return values.transfer === transfer
            }
        }
    }

    /// Whether the transfer is the present one of this task, and the end has not begun.
    func isPresent(_ transfer: ConnectionTransfer) -> Bool {
        lock.withLock { values.phase == .live && values.transfer === transfer }
    }

    /// Passes a decision on, unless its task was cancelled or suspended meanwhile.
    func decide(_ transfer: ConnectionTransfer, _ pass: @escaping @Sendable () -> Void) {
        driving.withLock {
            if isPresent(transfer) { pass() }
        }
    }
}
