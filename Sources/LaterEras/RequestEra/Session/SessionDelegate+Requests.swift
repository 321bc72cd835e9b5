import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import SessionTasks

extension SessionDelegate {
    /// Keeps a request until it has ended.
    func keep(_ request: Request) {
        state.withLock { $0.unfinished[ObjectIdentifier(request)] = request }
    }

    /// Lets go of a request that has ended.
    func letGo(_ request: Request) {
        // The caller holds it, so it does not go under the lock.
        state.withLock { $0.unfinished[ObjectIdentifier(request)] = nil }
    }

    /// How many tasks have a request.
    var taskCount: Int {
        state.withLock { $0.unfinished.values.map { $0 } }
            .count { request in request.task.flatMap { self[$0] } === request }
    }

    /// Cancels what waits, for its manager goes; its tasks are cancelled by the session.
    func managerGoes() {
        for request in Array(state.withLock({ $0.unfinished }).values) {
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
