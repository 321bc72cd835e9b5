import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import SessionTasks

extension SessionDelegate {
    /// Retains a request until it has ended.
    func list(_ request: Request) {
        state.withLock { $0.unfinished[ObjectIdentifier(request)] = request }
    }

    func unlist(_ request: Request) {
        // The caller retains it, so it is not released under the lock.
        state.withLock { $0.unfinished[ObjectIdentifier(request)] = nil }
    }

    /// Cancels requests that wait; call it where the manager is released. The session cancels its
    /// tasks.
    func cancelAll() {
        for request in Array(state.withLock({ $0.unfinished }).values) {
            let error = URLError(.cancelled, url: request.request?.url)
            if request.state.change({ $0.endWithManager(error) }).result {
                finishSoon(request)
            } else {
                // A task that could not be made is not in the session's list.
                request.task?.cancel()
            }
        }
    }

    // MARK: - Tasks in Foundation's types

    func shown(_ task: SessionTask) -> URLSessionTask {
        let shown = FoundationTasks.task(for: task)
        return self[task]?.retaining(shown) ?? shown
    }

    func shown(_ task: SessionDataTask) -> URLSessionDataTask {
        let shown = FoundationTasks.task(for: task)
        return self[task]?.retaining(shown) ?? shown
    }

    func shown(_ task: SessionDownloadTask) -> URLSessionDownloadTask {
        let shown = FoundationTasks.task(for: task)
        return self[task]?.retaining(shown) ?? shown
    }
}
