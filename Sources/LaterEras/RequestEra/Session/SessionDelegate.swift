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
    // the delegate does, closures included, unless it calls `super`. Each comes twice: the one with this port's task calls
    // that with a task of Foundation's type, as old sources override it, which does what the delegate does.

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
        urlSession(
            session, task: shown(task), willPerformHTTPRedirection: response, newRequest: request,
            completionHandler: completionHandler)
    }

    /// A challenge.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, task: SessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        urlSession(
            session, task: shown(task), didReceive: challenge, completionHandler: completionHandler)
    }

    /// A body's stream is needed; nil fails the request.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, task: SessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        urlSession(session, task: shown(task), needNewBodyStream: completionHandler)
    }

    /// Bytes of a body were sent.
    open func urlSession(
        _ session: URLSession, task: SessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        urlSession(
            session, task: shown(task), didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend)
    }

    /// The times of a task, before its end.
    open func urlSession(
        _ session: URLSession, task: SessionTask, didFinishCollecting metrics: RequestMetrics
    ) {
        urlSession(session, task: shown(task), didFinishCollecting: metrics)
    }

    /// A task has ended; its request may be tried again.
    open func urlSession(
        _ session: URLSession, task: SessionTask, didCompleteWithError error: (any Error)?
    ) {
        urlSession(session, task: shown(task), didCompleteWithError: error)
    }

    /// A response has come.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, dataTask: SessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        urlSession(
            session, dataTask: shown(dataTask), didReceive: response,
            completionHandler: completionHandler)
    }

    /// A data task became a download.
    open func urlSession(
        _ session: URLSession, dataTask: SessionDataTask,
        didBecome downloadTask: SessionDownloadTask
    ) {
        urlSession(session, dataTask: shown(dataTask), didBecome: shown(downloadTask))
    }

    /// A piece of a body.
    open func urlSession(_ session: URLSession, dataTask: SessionDataTask, didReceive data: Data) {
        urlSession(session, dataTask: shown(dataTask), didReceive: data)
    }

    /// A response may be stored.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, dataTask: SessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        urlSession(
            session, dataTask: shown(dataTask), willCacheResponse: proposedResponse,
            completionHandler: completionHandler)
    }

    /// A file, which must be moved inside the call.
    open func urlSession(
        _ session: URLSession, downloadTask: SessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        urlSession(session, downloadTask: shown(downloadTask), didFinishDownloadingTo: location)
    }

    /// Bytes were written to a file.
    open func urlSession(
        _ session: URLSession, downloadTask: SessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        urlSession(
            session, downloadTask: shown(downloadTask), didWriteData: bytesWritten,
            totalBytesWritten: totalBytesWritten,
            totalBytesExpectedToWrite: totalBytesExpectedToWrite)
    }

    /// A download goes on.
    open func urlSession(
        _ session: URLSession, downloadTask: SessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
        urlSession(
            session, downloadTask: shown(downloadTask), didResumeAtOffset: fileOffset,
            expectedTotalBytes: expectedTotalBytes)
    }

    // MARK: - For subclasses of old sources

    // The same methods with tasks of Foundation's types. A task of a program's own session is no task of a request.

    /// A redirect, with a task of Foundation's type.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let task = task.ownTask else { return completionHandler(request) }
        byDefault(
            session, task: task, willPerformHTTPRedirection: response, newRequest: request,
            completionHandler: completionHandler)
    }

    /// A challenge, with a task of Foundation's type.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let task = task.ownTask else {
            return completionHandler(.performDefaultHandling, nil)
        }
        byDefault(session, task: task, didReceive: challenge, completionHandler: completionHandler)
    }

    /// A body's stream is needed, with a task of Foundation's type.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        guard let task = task.ownTask else { return completionHandler(nil) }
        byDefault(session, task: task, needNewBodyStream: completionHandler)
    }

    /// Bytes of a body were sent, with a task of Foundation's type.
    open func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        guard let task = task.ownTask else { return }
        byDefault(
            session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend)
    }

    /// The times of a task of Foundation's type.
    open func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: RequestMetrics
    ) {}

    /// A task of Foundation's type has ended.
    open func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        guard let task = task.ownTask else { return }
        byDefault(session, task: task, didCompleteWithError: error)
    }

    /// A response has come, with a task of Foundation's type.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let dataTask = dataTask.ownTask as? SessionDataTask else {
            return completionHandler(.allow)
        }
        byDefault(
            session, dataTask: dataTask, didReceive: response, completionHandler: completionHandler)
    }

    /// A data task became a download, with tasks of Foundation's types.
    open func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) {
        guard let dataTask = dataTask.ownTask as? SessionDataTask,
            let downloadTask = downloadTask.ownTask as? SessionDownloadTask
        else { return }
        byDefault(session, dataTask: dataTask, didBecome: downloadTask)
    }

    /// A piece of a body, with a task of Foundation's type.
    open func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
    {
        guard let dataTask = dataTask.ownTask as? SessionDataTask else { return }
        byDefault(session, dataTask: dataTask, didReceive: data)
    }

    /// A response may be stored, with a task of Foundation's type.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        guard let dataTask = dataTask.ownTask as? SessionDataTask else {
            return completionHandler(proposedResponse)
        }
        byDefault(
            session, dataTask: dataTask, willCacheResponse: proposedResponse,
            completionHandler: completionHandler)
    }

    /// A file, with a task of Foundation's type.
    open func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        guard let downloadTask = downloadTask.ownTask as? SessionDownloadTask else {
            return
        }
        byDefault(session, downloadTask: downloadTask, didFinishDownloadingTo: location)
    }

    /// Bytes were written to a file, with a task of Foundation's type.
    open func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        guard let downloadTask = downloadTask.ownTask as? SessionDownloadTask else {
            return
        }
        byDefault(
            session, downloadTask: downloadTask, didWriteData: bytesWritten,
            totalBytesWritten: totalBytesWritten,
            totalBytesExpectedToWrite: totalBytesExpectedToWrite)
    }

    /// A download goes on, with a task of Foundation's type.
    open func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
        guard let downloadTask = downloadTask.ownTask as? SessionDownloadTask else {
            return
        }
        byDefault(
            session, downloadTask: downloadTask, didResumeAtOffset: fileOffset,
            expectedTotalBytes: expectedTotalBytes)
    }
}
