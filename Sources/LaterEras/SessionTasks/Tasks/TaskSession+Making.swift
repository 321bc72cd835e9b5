package import Foundation
import FoundationNetworking
import HTTPSemantics

// The life of a task.
extension TaskSession {
    typealias Making<Task> = (TransferSource, SessionTask.Start, DownloadFile?, BodyStream) -> Task

    /// A suspended task. The task has already failed where it cannot run, or where
    /// the request would reveal a credential to the wrong server.
    ///
    /// - Parameter handler: called with the task before it is listed, so before anybody can end it.
    func make<Task: SessionTask>(
        _ source: TransferSource, _ file: DownloadFile?, _ handler: MakesHandler,
        _ making: Making<Task>
    ) -> Task {
        let stream = BodyStream(source.request)
        do {
            if let reason = objection(to: source) { throw reason }
            let request = file?.begin(source.request) ?? source.request
            guard let number = nextLoad() else { throw SessionError.sessionInvalidated }
            let transfer = ConnectionTransfer(number, source, request, stream, self)
            let task = making(source, .ready(transfer, self), file, stream)
            tellOfMaking(task)
            transfer.attach(to: task)
            // A retry's task is the request's as soon as it has its handler, and may be resumed from then on.
            task.handler = handler(task)
            list(task)
            if task.hasEnded { unlist(task) }
            if isCancelled { task.cancel() }
            return task
        } catch {
            return failed(source, file, error, handler, making)
        }
    }

    /// A task that has ended. Its handler hears so after its first `resume` or `cancel`.
    func failed<Task: SessionTask>(
        _ source: TransferSource, _ file: DownloadFile?, _ error: any Error,
        _ handler: MakesHandler, _ making: Making<Task>
    ) -> Task {
        file?.giveBack()
        let task = making(source, .failed(error, self), nil, BodyStream(source.request))
        tellOfMaking(task)
        task.handler = handler(task)
        return task
    }

    /// Why a task must not run, or nil.
    func objection(to source: TransferSource) -> (any Error)? {
        source.defect ?? delegate?.session(self, refusalOf: source.request)
    }

    /// Ends a task, once; called on the delegate queue.
    func finish(_ task: SessionTask, _ transferError: (any Error)?) {
        guard let end = task.complete(transferError) else { return }
        var error = end.reason ?? task.file?.shortfall()
        let isWanted = error?.keepsPart == true || end.wantsResumeData != nil
        let resumeData = error == nil ? nil : task.file?.endEarly(keepingPart: isWanted)
        end.wantsResumeData?(resumeData)
        if let resumeData { error = error?.carrying(resumeData) }
        if error == nil, let download = task as? SessionDownloadTask {
            error = handOver(download)
        }
        task.noteEnd(error)
        tellObserver(ofEndOf: task, error)
        unlist(task)
        call(task, .ended(error))
        loadDidEnd()
    }

    /// Lets the handler move the file, and removes what it left.
    ///
    /// - Returns: the error of an era that could not move it.
    private func handOver(_ task: SessionDownloadTask) -> (any Error)? {
        guard let file = task.file else { return nil }
        defer { file.remove() }
        do {
            try file.close()
        } catch {
            return error
        }
        call(task, .file(file.url))
        return task.placementFailure
    }
}

extension TaskSession {
    /// Removes the part that resume data names, which nobody goes on with. Nothing happens where a task has claimed it.
    package static func discardPart(of resumeData: Data) {
        ResumeData.discard(resumeData)
    }
}

extension Error {
    /// Whether another task may go on with the part of the download that it ended.
    fileprivate var keepsPart: Bool {
        if case .cannotContinueDownload? = self as? SessionError { return true }
        return (self as? URLError).map { $0.code != .cancelled } ?? false
    }

    /// The error with resume data under the key that Foundation uses on other systems.
    fileprivate func carrying(_ resumeData: Data) -> any Error {
        if case .cannotContinueDownload(let why, _)? = self as? SessionError {
            return SessionError.cannotContinueDownload(why, resumeData: resumeData)
        }
        guard let failure = self as? URLError else { return self }
        var info = failure.errorUserInfo
        info[URLSessionDownloadTaskResumeData] = resumeData
        return URLError(failure.code, described: info)
    }
}
