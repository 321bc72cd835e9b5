import CurlConnection
package import Foundation
public import FoundationNetworking
package import HTTPSemantics
import OperationNetworking
package import SessionTasks

/// The delegate of the session that `session` shows; nobody calls it by Foundation's methods.
extension URLSessionManager: URLSessionDelegate {}

// What counts for all tasks of a manager; each has a `ManagedTask` that handles it.
extension URLSessionManager: TaskSessionDelegate {
    package func sessionDidBecomeInvalid(_ session: TaskSession) {
        current.value.blocks.sessionDidBecomeInvalid?(session.urlSession, nil)
        guard let shown = session.urlSessionUnlessExiting else { return }
        NotificationCenter.default.post(name: .urlSessionDidInvalidate, object: shown)
    }

    package func session(_ session: TaskSession, refusalOf request: URLRequest) -> (any Error)? {
        refusal(of: request)
    }

    package func session(
        _ session: TaskSession, trustFor request: URLRequest
    ) -> ServerTrustRequirements { securityPolicy.requirements }

    /// A question without a block needs no way through the delegate queue.
    package func session(
        _ session: TaskSession, asks question: TaskInterest, about trust: ServerTrust?
    ) -> Bool {
        current.asks.contains(question)
    }

    package func session(
        _ session: TaskSession, errorFor trust: ServerTrust, refusedWith error: URLError
    ) -> any Error {
        let url = error.userInfo[NSURLErrorFailingURLErrorKey] as? URL
        return ServerTrustError.error(trust, url, beneath: error)
    }

    package func session(_ session: TaskSession, taskDidResume task: SessionTask, isNews: Bool) {
        if isNews { post(.networkingTaskDidResume, task) }
    }

    package func session(_ session: TaskSession, taskDidSuspend task: SessionTask, isNews: Bool) {
        if isNews { post(.networkingTaskDidSuspend, task) }
    }

    /// On main, as AFNetworking posts them.
    private func post(_ name: Notification.Name, _ task: SessionTask) {
        DispatchQueue.main.async {
            NotificationCenter.default.post(name: name, object: task)
        }
    }
}
