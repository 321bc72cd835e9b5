public import CurlConnection
public import Foundation
public import FoundationNetworking
import HTTPSemantics
import Locking
public import SessionTasks

/// The delegate of a manager's tasks, which passes their events to the requests (AL-36).
///
/// Each closure replaces what the delegate does by itself, wholly; one with a completion wins over
/// the one without. They may be set while tasks run. Their `URLSession` is `SessionManager.session`.
///
/// Stream tasks are not on Linux, and neither are the four closures about them.
///
/// ## Concurrency
/// Call from: any thread. Locks: one around the closures, one around the table and the retrier. Calls
/// out, without them, on: the session's delegate queue.
open class SessionDelegate: NSObject, URLSessionDelegate, @unchecked Sendable {
    // @unchecked because a class that others may inherit from cannot be checked; all it has guards
    // itself.
    struct State {
        weak var manager: SessionManager?
        var retrier: (any RequestRetrier)?
        var policies: ServerTrustPolicyManager?
        var table = RequestTable()
    }

    let closures = Locked(SessionClosures())
    let state = Locked(State())

    /// A delegate without closures.
    public override init() {}

    /// The request of a task; setting nil makes the delegate forget it: its handlers are then called
    /// when the manager goes.
    open subscript(task: SessionTask) -> Request? {
        get { state.withLock { $0.table[task] } }
        set {
            let old = state.withLock { state in
                defer { state.table[task] = newValue }
                return state.table[task]
            }
            withExtendedLifetime(old) {}
        }
    }

    var retrier: (any RequestRetrier)? {
        get { state.withLock { $0.retrier } }
        set {
            let old = state.withLock { state in
                defer { state.retrier = newValue }
                return state.retrier
            }
            withExtendedLifetime(old) {}
        }
    }

    func join(_ manager: SessionManager, _ policies: ServerTrustPolicyManager?) {
        state.withLock { state in
            state.manager = manager
            state.policies = policies
        }
    }

    // MARK: - For subclasses

    // The methods of Foundation's delegate, with this port's tasks. An override takes the place of what
    // the delegate does, closures included, unless it calls `super`.

    /// The session has ended.
    open func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        byDefault(session, didBecomeInvalidWithError: error)
    }

    /// A challenge about the whole session; called if a closure about it is set.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        byDefault(session, didReceive: challenge, completionHandler: completionHandler)
    }

    /// A redirect; the handler takes the request that is sent, or nil.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, task: SessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        byDefault(
            session, task: task, willPerformHTTPRedirection: response, newRequest: request,
            completionHandler: completionHandler)
    }

    /// A challenge.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, task: SessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        byDefault(session, task: task, didReceive: challenge, completionHandler: completionHandler)
    }

    /// A body's stream is needed; nil fails the request.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, task: SessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        byDefault(session, task: task, needNewBodyStream: completionHandler)
    }

    /// Bytes of a body were sent.
    open func urlSession(
        _ session: URLSession, task: SessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        byDefault(
            session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend)
    }

    /// The times of a task, before its end; never with `SessionTransport.foundation` (LX-01).
    open func urlSession(
        _ session: URLSession, task: SessionTask, didFinishCollecting metrics: RequestMetrics
    ) {}

    /// A task has ended; its request may be tried again.
    open func urlSession(
        _ session: URLSession, task: SessionTask, didCompleteWithError error: (any Error)?
    ) {
        byDefault(session, task: task, didCompleteWithError: error)
    }

    /// A response has come.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, dataTask: SessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        byDefault(
            session, dataTask: dataTask, didReceive: response, completionHandler: completionHandler)
    }

    /// A data task became a download.
    open func urlSession(
        _ session: URLSession, dataTask: SessionDataTask,
        didBecome downloadTask: SessionDownloadTask
    ) {
        byDefault(session, dataTask: dataTask, didBecome: downloadTask)
    }

    /// A piece of a body.
    open func urlSession(_ session: URLSession, dataTask: SessionDataTask, didReceive data: Data) {
        byDefault(session, dataTask: dataTask, didReceive: data)
    }

    /// A response may be stored.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, dataTask: SessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        byDefault(
            session, dataTask: dataTask, willCacheResponse: proposedResponse,
            completionHandler: completionHandler)
    }

    /// A file, which must be moved inside the call.
    open func urlSession(
        _ session: URLSession, downloadTask: SessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        byDefault(session, downloadTask: downloadTask, didFinishDownloadingTo: location)
    }

    /// Bytes were written to a file.
    open func urlSession(
        _ session: URLSession, downloadTask: SessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        byDefault(
            session, downloadTask: downloadTask, didWriteData: bytesWritten,
            totalBytesWritten: totalBytesWritten,
            totalBytesExpectedToWrite: totalBytesExpectedToWrite)
    }

    /// A download goes on.
    open func urlSession(
        _ session: URLSession, downloadTask: SessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
        byDefault(
            session, downloadTask: downloadTask, didResumeAtOffset: fileOffset,
            expectedTotalBytes: expectedTotalBytes)
    }

    // MARK: - Requests

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
}
