package import Foundation
public import FoundationNetworking
package import HTTPSemantics
import OperationNetworking
package import SessionTasks

/// So that `session.delegate` is the manager. Its methods of Foundation's protocol are never called.
extension URLSessionManager: URLSessionDelegate {}

// What counts for all tasks of a manager. A `ManagedTask` handles each of them.
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

    package func session(_ session: TaskSession, task: SessionTask, wasResumed isResumed: Bool) {
        // On main, as AFNetworking posts them.
        DispatchQueue.main.async {
            NotificationCenter.default.post(
                name: isResumed ? .networkingTaskDidResume : .networkingTaskDidSuspend,
                object: task)
        }
    }
}

/// The error of a server that the policy refused, with AFNetworking's code, sentence and keys.
enum ServerTrustError {
    /// - Parameters:
    ///   - trust: the server's, under `NSURLErrorFailingURLPeerTrustErrorKey`.
    ///   - url: under `NSURLErrorFailingURLErrorKey`, and as a text under the key of its old form.
    ///   - beneath: why it was refused.
    static func error(
        _ trust: ServerTrust?, _ url: URL?, beneath: (any Error)? = nil
    ) -> URLError {
        let name = url?.host() ?? trust?.host ?? ""
        var info: [String: Any] = [
            NSLocalizedDescriptionKey:
                "The certificate for this server is invalid. You might be connecting to a server "
                + "that is pretending to be \u{201C}\(name)\u{201D} which could put your "
                + "confidential information at risk."
        ]
        info[NSURLErrorFailingURLPeerTrustErrorKey] = trust
        info[NSURLErrorFailingURLErrorKey] = url
        info["NSErrorFailingURLStringKey"] = url?.absoluteString
        info[NSUnderlyingErrorKey] = beneath
        return URLError(.serverCertificateUntrusted, described: info)
    }
}
