package import CurlConnection
package import Foundation
package import FoundationNetworking
package import HTTPSemantics
package import OperationNetworking

/// Hears what happens to the tasks of a session: the calls of URLSession's delegate.
///
/// Every method has a default, that of URLSession. A `completionHandler` may be called later, from
/// any thread; only the first call counts, and none after the task's end.
///
/// ## Concurrency
/// Called on: the session's delegate queue, one call at a time, in URLSession's order. Exceptions:
/// `taskDidResume` and `taskDidSuspend` (the caller's thread); `decides`, `refusalOf` and `securityPolicyFor` (any
/// thread); `errorFor` (the network thread).
package protocol TaskSessionDelegate: AnyObject, Sendable {
    // MARK: The session

    /// The session has ended, and calls nobody any more.
    func session(_ session: TaskSession, didBecomeInvalidWithError error: (any Error)?)

    /// Whether the session is asked about server trust and client certificates in place of the task
    /// (UM-17).
    func sessionAnswersChallenges(_ session: TaskSession) -> Bool

    /// A challenge for the whole session; called only after `sessionAnswersChallenges`.
    func session(
        _ session: TaskSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping ChallengeCompletion)

    /// Why a request must not be sent, or nil. It is asked when a task is made, resumed and
    /// redirected.
    func session(_ session: TaskSession, refusalOf request: URLRequest) -> (any Error)?

    /// What a server must satisfy where no answer to a challenge decides.
    func session(_ session: TaskSession, securityPolicyFor request: URLRequest) -> SecurityPolicy

    /// Whether the delegate wants to be asked. A question that it does not want is answered as by
    /// default, without a way through the delegate queue.
    func session(_ session: TaskSession, decides question: TaskQuestion) -> Bool

    /// The error of a task whose server was refused by its policy; called on the network thread.
    ///
    /// - Parameter error: has the trust under `NSURLErrorFailingURLPeerTrustErrorKey`.
    func session(
        _ session: TaskSession, errorFor trust: ServerTrust, refusedWith error: URLError
    ) -> any Error

    // MARK: Any task

    /// A redirect; nil takes the redirect itself for the response.
    func session(
        _ session: TaskSession, task: SessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void)

    /// A challenge for one task.
    func session(
        _ session: TaskSession, task: SessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping ChallengeCompletion)

    /// A streamed body is to be sent, for the first time or again.
    func session(
        _ session: TaskSession, task: SessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)

    /// Bytes of the body went out; the expected total is -1 where it is unknown.
    func session(
        _ session: TaskSession, task: SessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64)

    /// The times of the task; before `didCompleteWithError`.
    func session(
        _ session: TaskSession, task: SessionTask, didFinishCollecting metrics: RequestMetrics)

    /// The task has ended. It is the last call for it.
    func session(
        _ session: TaskSession, task: SessionTask, didCompleteWithError error: (any Error)?)

    // MARK: Data tasks

    /// The response; informational ones are not told.
    func session(
        _ session: TaskSession, dataTask: SessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)

    /// The download takes the place of the data task, which hears nothing more.
    func session(
        _ session: TaskSession, dataTask: SessionDataTask,
        didBecome downloadTask: SessionDownloadTask)

    /// A piece of the body.
    func session(_ session: TaskSession, dataTask: SessionDataTask, didReceive data: Data)

    /// What may be stored of a complete response; nil stores nothing.
    func session(
        _ session: TaskSession, dataTask: SessionDataTask,
        willCacheResponse proposed: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void)

    // MARK: Downloads

    /// The whole file. It is moved inside the call, or removed after it.
    func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask,
        didFinishDownloadingTo location: URL)

    /// Bytes were written; the expected total is -1 where it is unknown.
    func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)

    /// The download continues a part of that many bytes; the expected total is -1 where it is
    /// unknown.
    func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask, didResumeAtOffset offset: Int64,
        expectedTotalBytes: Int64)

    // MARK: A task's own steps

    /// The task was resumed; it is news when it was not running.
    func session(_ session: TaskSession, taskDidResume task: SessionTask, isNews: Bool)

    /// The task was suspended; it is news when it was not suspended.
    func session(_ session: TaskSession, taskDidSuspend task: SessionTask, isNews: Bool)
}

/// Called with the answer to a challenge.
package typealias ChallengeCompletion =
    @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

/// What a delegate can be asked, on the way of a task.
package enum TaskQuestion: Sendable {
    case redirect
    /// A challenge; the trust is that of a server whose certificates it is about.
    case challenge(ServerTrust?)
    case disposition
    case cachedResponse
}
