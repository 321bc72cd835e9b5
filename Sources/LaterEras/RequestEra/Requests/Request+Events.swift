import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
package import SessionTasks

// A request handles its tasks' events. The delegate is called first for events that a closure or an override may
// handle instead.
extension Request: TaskHandler {
    package func handle(_ event: TaskEvent, of task: SessionTask, in session: TaskSession) {
        // Also where an override does not call `super`: without its task the request would never end.
        if case .becameDownload(let download) = event, !replaces(task, by: download) {
            (session.lastDelegate as? any RequestHome)?.replace(task, by: download)
        }
        // If this is not the request's own task, the delegate may find another request for it.
        if case .ended = event, state.withLock({ $0.task }) !== task,
            let delegate = session.lastDelegate
        {
            return delegate.handle(event, of: task, in: session)
        }
        if home.handles(event.kind) {
            home.handle(event, of: task, in: session)
        } else {
            take(event, of: task)
        }
    }

    package func handle(_ question: TaskQuestion, of task: SessionTask, in session: TaskSession) {
        home.handle(question, of: task, in: session)
    }

    /// - Returns: false where it is not the request's task.
    func replaces(_ task: SessionTask, by download: SessionDownloadTask) -> Bool {
        state.withLock { state in
            guard state.task === task else { return false }
            state.task = download
            return true
        }
    }

    func take(_ event: TaskEvent, of task: SessionTask) {
        switch event {
        case .sent(_, let total, let expected):
            state.withLock { $0.noteSent(total, of: expected) }?.send()
        case .response: delegate.began()
        case .data(let data): receive(data, of: task)
        case .resumed(let offset, let expected):
            state.withLock { $0.download.note(offset, of: expected) }?.send()
        case .wrote(_, let total, let expected):
            state.withLock { $0.noteWritten(total, of: expected) }?.send()
        case .file(let file):
            if let task = task as? SessionDownloadTask { delegate.finished(task, at: file) }
        case .becameDownload, .metrics: break
        case .ended(let error): complete(task, error)
        }
    }

    /// Handles the end of a task, unless it is of another attempt, or the wait for it has ended.
    private func complete(_ task: SessionTask, _ error: (any Error)?) {
        let resumeData = error.flatMap {
            ($0 as NSError).userInfo[URLSessionDownloadTaskResumeData] as? Data
        }
        let isCurrent = state.withLock { state in
            if state.task === task { state.resumeData = resumeData ?? state.resumeData }
            return state.complete(task, error)
        }
        if isCurrent { home.evaluate(self) }
    }

    /// Handles a piece of the body; where it is too much, the task fails.
    private func receive(_ data: Data, of task: SessionTask) {
        let refusal = delegate.received(
            data, of: task.countOfBytesExpectedToReceive, within: taskSession.limitOfBodyInMemory)
        if let refusal { task.fail(with: refusal.urlError(task.currentRequest?.url)) }
    }
}

// A request begins before its caller has called `authenticate`, and a near server may answer before
// that.
extension Request {
    /// How long a challenge waits for a credential, in seconds.
    private static let patience: TimeInterval = 0.25

    /// Finds the credential for a first challenge. While the request has neither one nor a handler,
    /// its caller may still be about to call `authenticate`: that is waited for, a quarter of a
    /// second at most.
    ///
    /// - Parameter use: called once: here, by `authenticate`, with the first handler, at a cancel,
    ///   or on the delegate queue after the wait.
    func findCredential(_ use: @escaping @Sendable (URLCredential?) -> Void) {
        let (waits, credential) = state.withLock { state in
            let waits = state.credential == nil && state.handlers == 0 && !state.isCancelled
            if waits { state.challenges.append(use) }
            return (waits, state.credential)
        }
        guard waits else { return use(credential) }
        taskSession.options.current.clock.wakeUp(after: Self.patience) { [weak self] in
            // Not on the clock's thread, which must not wait.
            guard let self else { return }
            taskSession.delegateQueue.addOperation { self.answerChallenges() }
        }
    }

    func answerChallenges() {
        let (challenges, credential) = state.withLock { state in
            defer { state.challenges = [] }
            return (state.challenges, state.credential)
        }
        for answer in challenges { answer(credential) }
    }
}
