package import Foundation
package import FoundationNetworking
package import HTTPSemantics

/// The owner of a session: its rules for all tasks. It handles the tasks that have no handler.
///
/// ## Concurrency
/// Called on: any thread, with three exceptions: a handler's calls and `sessionDidBecomeInvalid` (the session's delegate
/// queue), `errorFor` (the network thread), `wasResumed` (the caller's thread).
package protocol TaskSessionDelegate: TaskHandler {
    /// The session has ended; this is its last call.
    func sessionDidBecomeInvalid(_ session: TaskSession)

    /// Why a request must not be sent, or nil. It is asked when a task is made, resumed and redirected.
    func session(_ session: TaskSession, refusalOf request: URLRequest) -> (any Error)?

    /// What a server must satisfy where no answer to a challenge decides.
    func session(
        _ session: TaskSession, trustFor request: URLRequest
    ) -> ServerTrustRequirements

    /// Whether the handlers are asked. Other questions are answered by default on the network thread. The handler is
    /// always asked about `body`.
    ///
    /// - Parameter trust: of the server whose certificates a challenge is about.
    func session(
        _ session: TaskSession, asks question: TaskInterest, about trust: ServerTrust?
    ) -> Bool

    /// The error of a task whose server its requirements refused.
    ///
    /// - Parameter error: has the trust under `NSURLErrorFailingURLPeerTrustErrorKey`.
    func session(
        _ session: TaskSession, errorFor trust: ServerTrust, refusedWith error: URLError
    ) -> any Error

    /// The task was resumed, and was not running before; or was suspended, and was running.
    func session(_ session: TaskSession, task: SessionTask, wasResumed isResumed: Bool)
}

extension TaskSessionDelegate {
    package func sessionDidBecomeInvalid(_ session: TaskSession) {}

    package func session(_ session: TaskSession, refusalOf request: URLRequest) -> (any Error)? {
        nil
    }

    package func session(
        _ session: TaskSession, trustFor request: URLRequest
    ) -> ServerTrustRequirements { ServerTrustRequirements() }

    package func session(
        _ session: TaskSession, asks question: TaskInterest, about trust: ServerTrust?
    ) -> Bool { true }

    package func session(
        _ session: TaskSession, errorFor trust: ServerTrust, refusedWith error: URLError
    ) -> any Error { error }

    package func session(_ session: TaskSession, task: SessionTask, wasResumed isResumed: Bool) {}
}
