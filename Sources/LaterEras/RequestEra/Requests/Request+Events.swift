import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
package import SessionTasks

// A request handles its tasks' events. Those that a closure or an override replaces the work for go
// to the delegate first.
extension Request: TaskHandler {
    package func handle(_ event: TaskEvent, of task: SessionTask, in session: TaskSession) {
        // Also where an override does not call `super`: without its task the request would never end.
        if case .becameDownload(let download) = event {
            state.withLock { if $0.task === task { $0.task = download } }
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
