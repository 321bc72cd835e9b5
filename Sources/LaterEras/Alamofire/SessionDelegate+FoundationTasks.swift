public import Foundation
public import FoundationNetworking
public import RequestEra
import SessionTasks

// The closures of a delegate with tasks of Foundation's types. Each is kept as the closure of its name with this port's
// task, which a source gets that names `SessionTask`.

extension FoundationTasked where Self: SessionDelegate {
    // MARK: - Any task

    /// Gives the request that a redirect leads to; nil makes the redirect the response.
    @preconcurrency
    public var taskWillPerformHTTPRedirection:
        (@Sendable (URLSession, URLSessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?
    {
        get { TaskKind.any.shown(taskWillPerformHTTPRedirection) { $1 } }
        nonmutating set { taskWillPerformHTTPRedirection = TaskKind.any.own(newValue) }
    }

    /// Like `taskWillPerformHTTPRedirection`, but the closure calls a completion with its answer, then or later.
    @preconcurrency
    public var taskWillPerformHTTPRedirectionWithCompletion:
        (
            @Sendable (
                URLSession, URLSessionTask, HTTPURLResponse, URLRequest,
                @escaping @Sendable (URLRequest?) -> Void
            ) -> Void
        )?
    {
        get { TaskKind.any.shown(taskWillPerformHTTPRedirectionWithCompletion) { $2($1) } }
        nonmutating set {
            taskWillPerformHTTPRedirectionWithCompletion = TaskKind.any.own(newValue)
        }
    }

    /// A challenge, in place of the request's credential and the policy of the host.
    @preconcurrency
    public var taskDidReceiveChallenge:
        (
            @Sendable (URLSession, URLSessionTask, URLAuthenticationChallenge) -> (
                URLSession.AuthChallengeDisposition, URLCredential?
            )
        )?
    {
        get { TaskKind.any.shown(taskDidReceiveChallenge) { _ in (.performDefaultHandling, nil) } }
        nonmutating set { taskDidReceiveChallenge = TaskKind.any.own(newValue) }
    }

    /// Like `taskDidReceiveChallenge`, but the closure calls a completion with its answer, then or later.
    @preconcurrency
    public var taskDidReceiveChallengeWithCompletion:
        (
            @Sendable (
                URLSession, URLSessionTask, URLAuthenticationChallenge,
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) -> Void
        )?
    {
        get {
            TaskKind.any.shown(taskDidReceiveChallengeWithCompletion) {
                $1(.performDefaultHandling, nil)
            }
        }
        nonmutating set { taskDidReceiveChallengeWithCompletion = TaskKind.any.own(newValue) }
    }

    /// Gives the stream of a streamed body, each time it is sent; nil fails the request.
    @preconcurrency
    public var taskNeedNewBodyStream: (@Sendable (URLSession, URLSessionTask) -> InputStream?)? {
        get { TaskKind.any.shown(taskNeedNewBodyStream) { nil } }
        nonmutating set { taskNeedNewBodyStream = TaskKind.any.own(newValue) }
    }

    /// Like `taskNeedNewBodyStream`, but the closure calls a completion with its answer, then or later.
    @preconcurrency
    public var taskNeedNewBodyStreamWithCompletion:
        (
            @Sendable (URLSession, URLSessionTask, @escaping @Sendable (InputStream?) -> Void) ->
                Void
        )?
    {
        get { TaskKind.any.shown(taskNeedNewBodyStreamWithCompletion) { $0(nil) } }
        nonmutating set { taskNeedNewBodyStreamWithCompletion = TaskKind.any.own(newValue) }
    }

    /// Bytes of a body were sent: these, all so far, all there are (-1 where unknown).
    @preconcurrency
    public var taskDidSendBodyData:
        (@Sendable (URLSession, URLSessionTask, Int64, Int64, Int64) -> Void)?
    {
        get { TaskKind.any.shown(taskDidSendBodyData) { _, _, _ in } }
        nonmutating set { taskDidSendBodyData = TaskKind.any.own(newValue) }
    }

    /// A request's last task has ended; handlers come later.
    @preconcurrency
    public var taskDidComplete: (@Sendable (URLSession, URLSessionTask, (any Error)?) -> Void)? {
        get { TaskKind.any.shown(taskDidComplete) { _ in } }
        nonmutating set { taskDidComplete = TaskKind.any.own(newValue) }
    }

    // MARK: - Data tasks

    /// What becomes of a response.
    @preconcurrency
    public var dataTaskDidReceiveResponse:
        (@Sendable (URLSession, URLSessionDataTask, URLResponse) -> URLSession.ResponseDisposition)?
    {
        get { TaskKind.data.shown(dataTaskDidReceiveResponse) { _ in .allow } }
        nonmutating set { dataTaskDidReceiveResponse = TaskKind.data.own(newValue) }
    }

    /// Like `dataTaskDidReceiveResponse`, but the closure calls a completion with its answer, then or later.
    @preconcurrency
    public var dataTaskDidReceiveResponseWithCompletion:
        (
            @Sendable (
                URLSession, URLSessionDataTask, URLResponse,
                @escaping @Sendable (URLSession.ResponseDisposition) -> Void
            ) -> Void
        )?
    {
        get { TaskKind.data.shown(dataTaskDidReceiveResponseWithCompletion) { $1(.allow) } }
        nonmutating set { dataTaskDidReceiveResponseWithCompletion = TaskKind.data.own(newValue) }
    }

    /// A data task became a download; its request ends with it.
    @preconcurrency
    public var dataTaskDidBecomeDownloadTask:
        (@Sendable (URLSession, URLSessionDataTask, URLSessionDownloadTask) -> Void)?
    {
        get {
            let closure: (@Sendable (URLSession, SessionDataTask, SessionDownloadTask) -> Void)? =
                dataTaskDidBecomeDownloadTask
            guard let closure else { return nil }
            return { session, task, download in
                guard let task = TaskKind.data.own(task),
                    let download = TaskKind.download.own(download)
                else { return }
                closure(session, task, download)
            }
        }
        nonmutating set {
            var closure: (@Sendable (URLSession, SessionDataTask, SessionDownloadTask) -> Void)?
            if let newValue {
                closure = {
                    newValue($0, FoundationTasks.task(for: $1), FoundationTasks.task(for: $2))
                }
            }
            dataTaskDidBecomeDownloadTask = closure
        }
    }

    /// A piece of the body, which the request then neither keeps nor counts.
    @preconcurrency
    public var dataTaskDidReceiveData: (@Sendable (URLSession, URLSessionDataTask, Data) -> Void)? {
        get { TaskKind.data.shown(dataTaskDidReceiveData) { _ in } }
        nonmutating set { dataTaskDidReceiveData = TaskKind.data.own(newValue) }
    }

    /// What is stored of a response; nil stores nothing.
    @preconcurrency
    public var dataTaskWillCacheResponse:
        (@Sendable (URLSession, URLSessionDataTask, CachedURLResponse) -> CachedURLResponse?)?
    {
        get { TaskKind.data.shown(dataTaskWillCacheResponse) { $0 } }
        nonmutating set { dataTaskWillCacheResponse = TaskKind.data.own(newValue) }
    }

    /// Like `dataTaskWillCacheResponse`, but the closure calls a completion with its answer, then or later.
    @preconcurrency
    public var dataTaskWillCacheResponseWithCompletion:
        (
            @Sendable (
                URLSession, URLSessionDataTask, CachedURLResponse,
                @escaping @Sendable (CachedURLResponse?) -> Void
            ) -> Void
        )?
    {
        get { TaskKind.data.shown(dataTaskWillCacheResponseWithCompletion) { $1($0) } }
        nonmutating set { dataTaskWillCacheResponseWithCompletion = TaskKind.data.own(newValue) }
    }

    // MARK: - Downloads

    /// The file, which must be moved inside the call.
    @preconcurrency
    public var downloadTaskDidFinishDownloadingToURL:
        (@Sendable (URLSession, URLSessionDownloadTask, URL) -> Void)?
    {
        get { TaskKind.download.shown(downloadTaskDidFinishDownloadingToURL) { _ in } }
        nonmutating set { downloadTaskDidFinishDownloadingToURL = TaskKind.download.own(newValue) }
    }

    /// Bytes were written: these, all so far, all there are (-1 where unknown).
    @preconcurrency
    public var downloadTaskDidWriteData:
        (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64, Int64) -> Void)?
    {
        get { TaskKind.download.shown(downloadTaskDidWriteData) { _, _, _ in } }
        nonmutating set { downloadTaskDidWriteData = TaskKind.download.own(newValue) }
    }

    /// A download goes on from so many bytes, of so many.
    @preconcurrency
    public var downloadTaskDidResumeAtOffset:
        (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64) -> Void)?
    {
        get { TaskKind.download.shown(downloadTaskDidResumeAtOffset) { _, _ in } }
        nonmutating set { downloadTaskDidResumeAtOffset = TaskKind.download.own(newValue) }
    }
}
