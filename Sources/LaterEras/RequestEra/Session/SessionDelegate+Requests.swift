import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import SessionTasks

extension SessionDelegate {
    /// Keeps a request until it has ended, and enters its task: before the task can run.
    func enter(_ request: Request) {
        let task = request.task
        state.withLock { state in
            state.table.keep(request)
            if let task { state.table[task] = request }
        }
    }

    /// Lets go of a request that has ended.
    func letGo(_ request: Request) {
        state.withLock { $0.table.letGo(request) }
    }

    /// Cancels what waits, for its manager goes; its tasks are cancelled by the session.
    func managerGoes() {
        for request in state.withLock({ $0.table.requests }) {
            let error = URLError(.cancelled, url: request.request?.url)
            if request.state.change({ $0.endWithManager(error) }).result {
                finishSoon(request)
            } else {
                // A task that could not be made is in no list of the session's.
                request.task?.cancel()
            }
        }
    }

    // MARK: - Tasks in Foundation's types

    func shown(_ task: SessionTask) -> URLSessionTask {
        let shown = FoundationTasks.task(for: task)
        return self[task]?.kept(shown) ?? shown
    }

    func shown(_ task: SessionDataTask) -> URLSessionDataTask {
        let shown = FoundationTasks.task(for: task)
        return self[task]?.kept(shown) ?? shown
    }

    func shown(_ task: SessionDownloadTask) -> URLSessionDownloadTask {
        let shown = FoundationTasks.task(for: task)
        return self[task]?.kept(shown) ?? shown
    }
}
