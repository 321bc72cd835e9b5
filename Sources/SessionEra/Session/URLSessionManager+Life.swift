import HTTPSemantics
import Foundation
import FoundationNetworking

// The life of a task.
extension URLSessionManager {
    typealias Making<Task> = (TransferSource, SessionTask.Start, SessionTaskDelegate, BodyStream) ->
        Task

    /// A suspended task. The task has already failed where Foundation would crash, or where the
    /// request would reveal a credential to the wrong server.
    func make<Task: SessionTask>(
        _ source: TransferSource, _ delegate: SessionTaskDelegate, _ making: Making<Task>
    ) -> Task {
        let stream = BodyStream(source.request)
        do {
            if let error = source.defect { throw error }
            if let refusal = refusal(of: source.request) { throw refusal }
            let session = guardedSession
            let request = delegate.requestForRest(of: try source.request(reading: stream))
            guard let raw = session.makeTask(source, for: request) else {
                throw SessionError.sessionInvalidated
            }
            let task = making(source, .ready(raw, session, self), delegate, stream)
            delegate.progress.bind(to: task)
            table.begin(raw, of: session, for: task)
            if session.isCancelled { task.cancel() }
            return task
        } catch {
            return fail(source, delegate, error, making)
        }
    }

    /// A task that has ended; only its handler is called.
    func fail<Task: SessionTask>(
        _ source: TransferSource, _ delegate: SessionTaskDelegate, _ error: any Error,
        _ making: Making<Task>
    ) -> Task {
        let task = making(source, .failed(error), delegate, BodyStream(source.request))
        delegate.progress.bind(to: task)
        delegate.file?.remove()
        _ = delegate.finish(task, of: self, in: nil, error)
        return task
    }

    /// Ends a task, once; called on the delegate queue.
    func finish(_ task: SessionTask, _ transferError: (any Error)?) {
        guard let end = task.complete(transferError) else { return }
        table.remove(task)
        var error = end.error ?? task.delegate.shortfall()
        let isFailure = (error as? URLError).map { $0.code != .cancelled } ?? false
        let isWanted = isFailure || end.wantsResumeData != nil
        let resumeData = error == nil ? nil : task.delegate.resumeData(isWanted: isWanted)
        end.wantsResumeData?(resumeData)
        if let resumeData, let failure = error as? URLError {
            error = failure.carrying(resumeData)
        }
        error = task.delegate.finish(task, of: self, in: end.session, error)
        if let session = end.session { current.blocks.didComplete?(session, task, error) }
    }
}

extension URLError {
    /// The error with resume data under the key that Foundation uses on other systems.
    fileprivate func carrying(_ resumeData: Data) -> URLError {
        var info = errorUserInfo
        info[URLSessionDownloadTaskResumeData] = resumeData
        return URLError(code, described: info)
    }
}
