package import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking

// How tasks are made and ended.
extension TaskSession {
    typealias Making<Task> = (TransferSource, SessionTask.Start, DownloadFile?, BodyStream?) -> Task

    /// A suspended task. It has already failed where it cannot run, where the delegate refuses its request, or where
    /// the session is invalid.
    ///
    /// - Parameter handler: called with the task before it is listed, so that nothing can end it before.
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
            notifyObserver(ofMaking: task)
            transfer.attach(to: task)
            // With its handler a retry's task belongs to its request, and may be resumed, and end, from then on.
            task.handler = handler(task)
            list(task)
            if task.hasEnded { unlist(task) }
            if isCancelled { task.cancel() }
            return task
        } catch {
            return failed(source, file, error, handler, making)
        }
    }

    /// A task that has ended. Its handler is called about that after its first `resume` or `cancel`.
    func failed<Task: SessionTask>(
        _ source: TransferSource, _ file: DownloadFile?, _ error: any Error,
        _ handler: MakesHandler, _ making: Making<Task>
    ) -> Task {
        file?.unclaim()
        let task = making(source, .failed(error, self), nil, BodyStream(source.request))
        notifyObserver(ofMaking: task)
        task.handler = handler(task)
        return task
    }

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
            error = place(download)
        }
        task.noteEnd(error)
        notifyObserver(ofEndOf: task, error)
        unlist(task)
        call(task, .ended(error))
        loadDidEnd()
    }

    /// Has the handler move the file, which is removed if it is still there then.
    ///
    /// - Returns: why the handler could not move it.
    private func place(_ task: SessionDownloadTask) -> (any Error)? {
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
    /// Removes the part that resume data names. Nothing happens where a task has claimed it.
    package static func discardPart(of resumeData: Data) {
        ResumeData.discard(resumeData)
    }
}

extension Error {
    /// Whether another task may continue the download that it ended.
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

// The end of a session, which keeps itself until it is invalid and no task is left.
extension TaskSession {
    /// Makes no more tasks, and is invalid when those there are have ended.
    package func finishTasksAndInvalidate() {
        state.withLock { $0.isInvalid = true }
        endIfIdle()
    }

    /// Cancels its tasks and makes no more.
    package func invalidateAndCancel() {
        state.withLock { state in
            state.isInvalid = true
            state.isCancelled = true
        }
        // The newest first: else a connection that becomes free goes to a task that is cancelled next.
        for task in tasks.reversed() { task.cancel() }
        endIfIdle()
    }

    /// Whether its tasks were cancelled. The maker of a task that is not listed yet must cancel it.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Counts another load and returns its number; nil when the session is invalid.
    func nextLoad() -> Int? {
        state.withLock { state in
            if state.isInvalid { return nil }
            state.loads += 1
            state.lastIdentifier += 1
            return state.lastIdentifier
        }
    }

    func loadDidEnd() {
        state.withLock { $0.loads -= 1 }
        endIfIdle()
    }

    private func endIfIdle() {
        let isEnd = state.withLock { state in
            guard state.isInvalid, state.loads == 0, state.own != nil else { return false }
            state.own = nil
            return true
        }
        guard isEnd else { return }
        events.append(
            .last {
                self.deliverInvalidity()
                self.endStandIn()
            })
    }
}
