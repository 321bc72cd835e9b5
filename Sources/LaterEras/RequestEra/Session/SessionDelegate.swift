public import CurlConnection
public import Foundation
public import FoundationNetworking
import HTTPSemantics
import Locking
@_exported public import SessionTasks
import Synchronization

/// The delegate of a manager's tasks, which passes their events to the requests.
///
/// Each closure replaces what the delegate does by itself; one with a completion is called instead
/// of the one without. They may be set while tasks run. Their `URLSession` is
/// `SessionManager.session`.
///
/// Stream tasks are not on Linux, and neither are the four closures about them.
///
/// ## Concurrency
/// Call from: any thread. Locks: one around the closures, one around the requests and the retrier. Calls
/// out, without them, on: the session's delegate queue.
open class SessionDelegate: NSObject, URLSessionDelegate, @unchecked Sendable {
    // @unchecked because the compiler does not accept an open class as Sendable; what it has guards
    // itself.
    struct State {
        weak var manager: SessionManager?
        var retrier: (any RequestRetrier)?
        var policies: ServerTrustPolicyManager?
        /// The requests that have not ended, which it retains.
        var unfinished: [ObjectIdentifier: Request] = [:]
    }

    /// By the names of their properties.
    let closures = Locked<[String: StoredClosure]>([:])

    struct StoredClosure {
        let closure: any Sendable
        let kinds: TaskInterest
    }

    /// The events and questions that a closure or an override replaces a request's work for (`TaskInterest`). For a
    /// subclass it is all, since Swift on Linux cannot find out which methods are overridden.
    let interest = Atomic<UInt32>(0)
    let state = Locked(State())

    /// A delegate without closures.
    public override init() {
        super.init()
        if isSubclass { interest.store(TaskInterest.all.rawValue, ordering: .relaxed) }
    }

    var isSubclass: Bool { type(of: self) != SessionDelegate.self }

    /// The request of a task. Setting nil, or another request, makes the delegate forget it: it gets nothing more of the
    /// task, and its handlers get an error when the task has ended.
    open subscript(task: SessionTask) -> Request? {
        get {
            guard let request = task.handler as? Request, request.home === self else { return nil }
            return request
        }
        set { task.handler = newValue }
    }

    var retrier: (any RequestRetrier)? {
        get { state.withLock { $0.retrier } }
        set { state.replace(\.retrier, with: newValue) }
    }

    func join(_ manager: SessionManager, _ policies: ServerTrustPolicyManager?) {
        state.withLock { state in
            state.manager = manager
            state.policies = policies
        }
    }

    // MARK: - For subclasses

    // The methods of Foundation's delegate, with this package's tasks. An override replaces what
    // the delegate does, closures included, unless it calls `super`. Each with a task is there twice. The one
    // with this package's task calls the one with a task of Foundation's type, which old sources
    // override, and which does what the delegate does.

    /// The session has ended.
    open func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        sessionDidBecomeInvalidWithError?(session, error)
    }

    /// A challenge about the whole session; called if a closure about it is set.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        answerSession(challenge, session, completionHandler)
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
        answer(.redirect(response, request, completionHandler), of: task, session)
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
        answerTask(challenge, of: task, session, completionHandler)
    }

    /// A body's stream is needed, with a task of Foundation's type.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        guard let task = task.ownTask else { return completionHandler(nil) }
        answer(.body(completionHandler), of: task, session)
    }

    /// Bytes of a body were sent, with a task of Foundation's type.
    open func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        carryOut(
            .sent(bytesSent, total: totalBytesSent, of: totalBytesExpectedToSend), ofShown: task,
            session)
    }

    /// The times of a task of Foundation's type.
    open func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: RequestMetrics
    ) {}

    /// A task of Foundation's type has ended.
    open func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        carryOut(.ended(error), ofShown: task, session)
    }

    /// A response has come, with a task of Foundation's type.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let task = dataTask.ownTask else { return completionHandler(.allow) }
        answer(.disposition(response, completionHandler), of: task, session)
    }

    /// A data task became a download, with tasks of Foundation's types.
    open func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) {
        guard let download = downloadTask.ownTask as? SessionDownloadTask else { return }
        carryOut(.becameDownload(download), ofShown: dataTask, session)
    }

    /// A piece of a body, with a task of Foundation's type.
    open func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
    {
        carryOut(.data(data), ofShown: dataTask, session)
    }

    /// A response may be stored, with a task of Foundation's type.
    @preconcurrency
    open func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        guard let task = dataTask.ownTask else { return completionHandler(proposedResponse) }
        answer(.store(proposedResponse, completionHandler), of: task, session)
    }

    /// A file, with a task of Foundation's type.
    open func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        carryOut(.file(location), ofShown: downloadTask, session)
    }

    /// Bytes were written to a file, with a task of Foundation's type.
    open func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        carryOut(
            .wrote(bytesWritten, total: totalBytesWritten, of: totalBytesExpectedToWrite),
            ofShown: downloadTask, session)
    }

    /// A download goes on, with a task of Foundation's type.
    open func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
        carryOut(
            .resumed(at: fileOffset, of: expectedTotalBytes), ofShown: downloadTask, session)
    }

    private func carryOut(_ event: TaskEvent, ofShown task: URLSessionTask, _ session: URLSession) {
        if let task = task.ownTask { carryOut(event, of: task, session) }
    }

    // MARK: - Tasks in Foundation's types

    func shown(_ task: SessionTask) -> URLSessionTask {
        retained(FoundationTasks.task(for: task), of: task)
    }

    func shown(_ task: SessionDataTask) -> URLSessionDataTask {
        retained(FoundationTasks.task(for: task), of: task)
    }

    func shown(_ task: SessionDownloadTask) -> URLSessionDownloadTask {
        retained(FoundationTasks.task(for: task), of: task)
    }

    private func retained<Task: URLSessionTask>(_ shown: Task, of task: SessionTask) -> Task {
        self[task]?.retaining(shown) ?? shown
    }
}
