package import Foundation
package import FoundationNetworking
package import HTTPSemantics
import OperationNetworking

/// The owner of a session: its rules for all tasks. It handles the tasks that have no handler of their own.
///
/// ## Concurrency
/// Called on: any thread, with three exceptions: a handler's calls and `sessionDidBecomeInvalid` (the session's delegate
/// queue), `errorFor` (the network thread), `taskDidResume` and `taskDidSuspend` (the thread of who resumes and
/// suspends).
package protocol TaskSessionDelegate: TaskHandler {
    /// The session has ended, and calls nobody any more.
    func sessionDidBecomeInvalid(_ session: TaskSession)

    /// Why a request must not be sent, or nil. It is asked when a task is made, resumed and redirected.
    func session(_ session: TaskSession, refusalOf request: URLRequest) -> (any Error)?

    /// What a server must satisfy where no answer to a challenge decides.
    func session(
        _ session: TaskSession, trustFor request: URLRequest
    ) -> ServerTrustRequirements

    /// Whether the handlers are asked. Any other question has the default answer, without a way through the delegate
    /// queue. `body` is asked always.
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

    /// The task was resumed; it is news when it was not running.
    func session(_ session: TaskSession, taskDidResume task: SessionTask, isNews: Bool)

    /// The task was suspended; it is news when it was not suspended.
    func session(_ session: TaskSession, taskDidSuspend task: SessionTask, isNews: Bool)
}

extension TaskSessionDelegate {
    package func sessionDidBecomeInvalid(_ session: TaskSession) {}

    package func session(_ session: TaskSession, refusalOf request: URLRequest) -> (any Error)? {
        nil
    }

    package func session(
        _ session: TaskSession, trustFor request: URLRequest
    ) -> ServerTrustRequirements { SecurityPolicy.default().requirements }

    package func session(
        _ session: TaskSession, asks question: TaskInterest, about trust: ServerTrust?
    ) -> Bool { true }

    package func session(
        _ session: TaskSession, errorFor trust: ServerTrust, refusedWith error: URLError
    ) -> any Error { error }

    package func session(_ session: TaskSession, taskDidResume task: SessionTask, isNews: Bool) {}

    package func session(_ session: TaskSession, taskDidSuspend task: SessionTask, isNews: Bool) {}
}
