import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
package import SessionTasks

// A request hears of its tasks. Where a closure or an override takes the place of what it does, the delegate hears first.
extension Request: TaskHandler {
    package func handle(_ event: TaskEvent, of task: SessionTask, in session: TaskSession) {
        if home.hears(of: event.kind) {
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
        case .sent(_, let total, let expected): delegate.sent(total, of: expected)
        case .response: delegate.began()
        case .data(let data): receive(data, of: task)
        case .resumed(let offset, let expected): delegate.resumed(at: offset, of: expected)
        case .wrote(_, let total, let expected): delegate.wrote(total, of: expected)
        case .becameDownload(let download): state.withLock { $0.task = download }
        case .file(let file):
            if let task = task as? SessionDownloadTask { delegate.finished(task, at: file) }
        case .metrics: break
        case .ended(let error): complete(task, error)
        }
    }

    /// Takes the end of a task. That of another attempt, and of one that was given up meanwhile, is nothing.
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

    /// Takes a piece of the body; one too many fails the task.
    private func receive(_ data: Data, of task: SessionTask) {
        let refusal = delegate.received(
            data, of: task.countOfBytesExpectedToReceive, within: taskSession.limitOfBodyInMemory)
        if let refusal { task.fail(with: refusal.urlError(task.currentRequest?.url)) }
    }
}
