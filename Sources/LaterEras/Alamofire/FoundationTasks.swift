public import CurlConnection
public import Foundation
public import FoundationNetworking
public import RequestEra
import SessionTasks

// Foundation's task types stay what they are in a file that imports this module, so that a program's own sessions and
// their delegates work there. A request's task is given as one of them, which passes every call on.

/// A type whose tasks are given in Foundation's types too, which come first in a file that imports this module.
///
/// They are in a protocol, because in an extension of the class itself one property would hide the other.
public protocol FoundationTasked {}

extension Request: FoundationTasked {}
extension SessionDelegate: FoundationTasked {}

extension FoundationTasked where Self: Request {
    /// The task of the latest attempt; nil where none could be made.
    public var task: URLSessionTask? { foundationTask }
}

extension SessionDelegate {
    /// The request of a task; see the subscript with a `SessionTask`. A task of another session has none.
    public subscript(task: URLSessionTask) -> Request? {
        get { task.ownTask.flatMap { self[$0] } }
        set {
            if let task = task.ownTask { self[task] = newValue }
        }
    }
}

// MARK: - Notifications

/// The key of the task in a notification's user info.
public struct NotifiedTaskKey: Sendable {}

/// A type that has a key of its own in this module.
public protocol TaskKeyed {}

extension Notification.Key: TaskKeyed {}

extension TaskKeyed where Self == Notification.Key {
    /// The task, a `URLSessionTask`.
    public static var Task: NotifiedTaskKey { NotifiedTaskKey() }
}

extension Dictionary where Key == AnyHashable, Value == Any {
    /// The task of a notification as one of Foundation's type; nil where the user info has none.
    public subscript(key: NotifiedTaskKey) -> Any? {
        let key: String = Notification.Key.Task
        return (self[key] as? SessionTask).map { FoundationTasks.task(for: $0) }
    }
}

// MARK: - Measurements

// Foundation on Linux measures nothing, so these names stand for what is measured here.

/// The times of a request; of a response its `metrics`.
public typealias URLSessionTaskMetrics = RequestMetrics
/// The times of one exchange of it.
public typealias URLSessionTaskTransactionMetrics = TransactionMetrics

// The closures of a delegate with tasks of Foundation's types. Each is stored as the closure of the same name that
// takes this package's task; a source that names `SessionTask` gets that one.

extension FoundationTasked where Self: SessionDelegate {
    // MARK: - Any task

    /// Gives the request that a redirect leads to; nil makes the redirect the response.
    @preconcurrency
    public var taskWillPerformHTTPRedirection:
        (@Sendable (URLSession, URLSessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?
    {
        get { TaskKind.any.toFoundation(taskWillPerformHTTPRedirection) { $1 } }
        nonmutating set { taskWillPerformHTTPRedirection = TaskKind.any.fromFoundation(newValue) }
    }

    /// Like `taskWillPerformHTTPRedirection`, but the closure passes its answer to a completion, during the call or
    /// later.
    @preconcurrency
    public var taskWillPerformHTTPRedirectionWithCompletion:
        (
            @Sendable (
                URLSession, URLSessionTask, HTTPURLResponse, URLRequest,
                @escaping @Sendable (URLRequest?) -> Void
            ) -> Void
        )?
    {
        get { TaskKind.any.toFoundation(taskWillPerformHTTPRedirectionWithCompletion) { $2($1) } }
        nonmutating set {
            taskWillPerformHTTPRedirectionWithCompletion = TaskKind.any.fromFoundation(newValue)
        }
    }

    /// Answers a challenge, in place of the request's credential and the closure of the host's policy.
    @preconcurrency
    public var taskDidReceiveChallenge:
        (
            @Sendable (URLSession, URLSessionTask, URLAuthenticationChallenge) -> (
                URLSession.AuthChallengeDisposition, URLCredential?
            )
        )?
    {
        get {
            TaskKind.any.toFoundation(taskDidReceiveChallenge) { _ in (.performDefaultHandling, nil)
            }
        }
        nonmutating set { taskDidReceiveChallenge = TaskKind.any.fromFoundation(newValue) }
    }

    /// Like `taskDidReceiveChallenge`, but the closure passes its answer to a completion, during the call or
    /// later.
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
            TaskKind.any.toFoundation(taskDidReceiveChallengeWithCompletion) {
                $1(.performDefaultHandling, nil)
            }
        }
        nonmutating set {
            taskDidReceiveChallengeWithCompletion = TaskKind.any.fromFoundation(newValue)
        }
    }

    /// Gives the stream of a streamed body, each time it is sent; nil fails the request.
    @preconcurrency
    public var taskNeedNewBodyStream: (@Sendable (URLSession, URLSessionTask) -> InputStream?)? {
        get { TaskKind.any.toFoundation(taskNeedNewBodyStream) { nil } }
        nonmutating set { taskNeedNewBodyStream = TaskKind.any.fromFoundation(newValue) }
    }

    /// Like `taskNeedNewBodyStream`, but the closure passes its answer to a completion, during the call or
    /// later.
    @preconcurrency
    public var taskNeedNewBodyStreamWithCompletion:
        (
            @Sendable (URLSession, URLSessionTask, @escaping @Sendable (InputStream?) -> Void) ->
                Void
        )?
    {
        get { TaskKind.any.toFoundation(taskNeedNewBodyStreamWithCompletion) { $0(nil) } }
        nonmutating set {
            taskNeedNewBodyStreamWithCompletion = TaskKind.any.fromFoundation(newValue)
        }
    }

    /// Bytes of a body were sent. The numbers are: bytes since the last call, bytes so far, bytes in all (-1 if unknown).
    @preconcurrency
    public var taskDidSendBodyData:
        (@Sendable (URLSession, URLSessionTask, Int64, Int64, Int64) -> Void)?
    {
        get { TaskKind.any.toFoundation(taskDidSendBodyData) { _, _, _ in } }
        nonmutating set { taskDidSendBodyData = TaskKind.any.fromFoundation(newValue) }
    }

    /// The last task of a request (after retries) has ended. The response handlers are called after this.
    @preconcurrency
    public var taskDidComplete: (@Sendable (URLSession, URLSessionTask, (any Error)?) -> Void)? {
        get { TaskKind.any.toFoundation(taskDidComplete) { _ in } }
        nonmutating set { taskDidComplete = TaskKind.any.fromFoundation(newValue) }
    }

    // MARK: - Data tasks

    /// What becomes of a response.
    @preconcurrency
    public var dataTaskDidReceiveResponse:
        (@Sendable (URLSession, URLSessionDataTask, URLResponse) -> URLSession.ResponseDisposition)?
    {
        get { TaskKind.data.toFoundation(dataTaskDidReceiveResponse) { _ in .allow } }
        nonmutating set { dataTaskDidReceiveResponse = TaskKind.data.fromFoundation(newValue) }
    }

    /// Like `dataTaskDidReceiveResponse`, but the closure passes its answer to a completion, during the call or
    /// later.
    @preconcurrency
    public var dataTaskDidReceiveResponseWithCompletion:
        (
            @Sendable (
                URLSession, URLSessionDataTask, URLResponse,
                @escaping @Sendable (URLSession.ResponseDisposition) -> Void
            ) -> Void
        )?
    {
        get { TaskKind.data.toFoundation(dataTaskDidReceiveResponseWithCompletion) { $1(.allow) } }
        nonmutating set {
            dataTaskDidReceiveResponseWithCompletion = TaskKind.data.fromFoundation(newValue)
        }
    }

    /// A data task became a download task, which is the request's task from now on: the request ends with the download.
    @preconcurrency
    public var dataTaskDidBecomeDownloadTask:
        (@Sendable (URLSession, URLSessionDataTask, URLSessionDownloadTask) -> Void)?
    {
        get {
            let closure: (@Sendable (URLSession, SessionDataTask, SessionDownloadTask) -> Void)? =
                dataTaskDidBecomeDownloadTask
            guard let closure else { return nil }
            return { session, task, download in
                guard let task = TaskKind.data.sessionTask(of: task),
                    let download = TaskKind.download.sessionTask(of: download)
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

    /// A piece of the body. While it is set, the request neither stores the body nor updates its progress.
    @preconcurrency
    public var dataTaskDidReceiveData: (@Sendable (URLSession, URLSessionDataTask, Data) -> Void)? {
        get { TaskKind.data.toFoundation(dataTaskDidReceiveData) { _ in } }
        nonmutating set { dataTaskDidReceiveData = TaskKind.data.fromFoundation(newValue) }
    }

    /// What is stored of a response; nil stores nothing.
    @preconcurrency
    public var dataTaskWillCacheResponse:
        (@Sendable (URLSession, URLSessionDataTask, CachedURLResponse) -> CachedURLResponse?)?
    {
        get { TaskKind.data.toFoundation(dataTaskWillCacheResponse) { $0 } }
        nonmutating set { dataTaskWillCacheResponse = TaskKind.data.fromFoundation(newValue) }
    }

    /// Like `dataTaskWillCacheResponse`, but the closure passes its answer to a completion, during the call or
    /// later.
    @preconcurrency
    public var dataTaskWillCacheResponseWithCompletion:
        (
            @Sendable (
                URLSession, URLSessionDataTask, CachedURLResponse,
                @escaping @Sendable (CachedURLResponse?) -> Void
            ) -> Void
        )?
    {
        get { TaskKind.data.toFoundation(dataTaskWillCacheResponseWithCompletion) { $1($0) } }
        nonmutating set {
            dataTaskWillCacheResponseWithCompletion = TaskKind.data.fromFoundation(newValue)
        }
    }

    // MARK: - Downloads

    /// The file, which must be moved inside the call.
    @preconcurrency
    public var downloadTaskDidFinishDownloadingToURL:
        (@Sendable (URLSession, URLSessionDownloadTask, URL) -> Void)?
    {
        get { TaskKind.download.toFoundation(downloadTaskDidFinishDownloadingToURL) { _ in } }
        nonmutating set {
            downloadTaskDidFinishDownloadingToURL = TaskKind.download.fromFoundation(newValue)
        }
    }

    /// Bytes were written. The numbers are: bytes since the last call, bytes so far, bytes in all (-1 if unknown).
    @preconcurrency
    public var downloadTaskDidWriteData:
        (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64, Int64) -> Void)?
    {
        get { TaskKind.download.toFoundation(downloadTaskDidWriteData) { _, _, _ in } }
        nonmutating set { downloadTaskDidWriteData = TaskKind.download.fromFoundation(newValue) }
    }

    /// A download continues. The numbers are: the offset at which it continues, and the file's size (-1 if unknown).
    @preconcurrency
    public var downloadTaskDidResumeAtOffset:
        (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64) -> Void)?
    {
        get { TaskKind.download.toFoundation(downloadTaskDidResumeAtOffset) { _, _ in } }
        nonmutating set {
            downloadTaskDidResumeAtOffset = TaskKind.download.fromFoundation(newValue)
        }
    }
}
