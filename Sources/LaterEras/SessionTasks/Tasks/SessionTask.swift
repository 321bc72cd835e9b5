public import CurlConnection
import EventRecorder
public import Foundation
public import FoundationNetworking
import Locking
public import OperationNetworking

/// A task of a session, with one load in its life.
///
/// AFNetworking replaced `resume` and `suspend` of Foundation's own tasks to post notifications.
/// A session manager posts them when this task is resumed and suspended.
///
/// A task that is resumed continues where it was, on the same connection: the request is not sent again. The limit for
/// the whole load includes the time of a suspension.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the values. Calls out on: the caller's thread (the session's delegate, about
/// resuming and suspending), without the lock.
public class SessionTask: @unchecked Sendable {
    // @unchecked because the file belongs to the delegate queue; the rest is constant or guards itself.

    // MARK: Set once

    /// Unique within a session; 0 for a task that could not be made.
    public let taskIdentifier: Int
    /// The request as the session took it.
    public let originalRequest: URLRequest?
    let source: TransferSource
    /// A download's.
    let file: DownloadFile?
    /// The request's own stream; nil without one.
    let stream: BodyStream?
    /// The session's.
    let delegateQueue: OperationQueue
    /// The subject of recorded events.
    package let number = EventRecorder.nextNumber()
    let values: Locked<Values>

    init(_ source: TransferSource, _ start: Start, _ file: DownloadFile?, _ stream: BodyStream?) {
        self.source = source
        self.file = file
        self.stream = stream
        originalRequest = source.request
        switch start {
        case .ready(let load, let session):
            taskIdentifier = load.taskIdentifier
            delegateQueue = session.delegateQueue
            values = Locked(Values(state: TaskState(), load: load, session: session))
        case .failed(let error, let session):
            taskIdentifier = 0
            delegateQueue = session.delegateQueue
            values = Locked(
                Values(state: TaskState(failedWith: error), sessionOfFailure: session))
        }
    }

    enum Start {
        case ready(ConnectionTransfer, TaskSession)
        case failed(any Error, TaskSession)
    }

    struct Values {
        var state: TaskState
        /// Nil where the task could not be made, and from the end on.
        var load: ConnectionTransfer?
        /// Nil where the task could not be made, and from the end on.
        var session: TaskSession?
        var handler: (any TaskHandler)?
        /// The session of a task that could not be made, until its handler was called about that.
        var sessionOfFailure: TaskSession?
        /// When it was first resumed, in nanoseconds of the monotonic clock.
        var queued: UInt64 = 0
        var response: URLResponse?
        /// The request after redirects, from the end on.
        var lastRequest: URLRequest?
        /// Why a handler could not move a download's file.
        var placementFailure: (any Error)?
        var sent = TaskProgress()
        var received = TaskProgress()
        var metrics: RequestMetrics?
        var description: String?
        var priority = URLSessionTask.defaultPriority
        /// See `FoundationTasks`.
        weak var foundationTask: URLSessionTask?
        /// Whether the body goes to a reader piece by piece.
        var isBodyStreamed = false
        /// Whether `state` is `suspended` for good.
        var staysSuspended = false

        /// Its load has ended, or is another task's now.
        mutating func releaseLoad() {
            lastRequest = load?.currentRequest
            (load, session) = (nil, nil)
        }
    }

    // MARK: - Running

    /// Starts the task, or undoes one `suspend()`.
    ///
    /// A session manager posts `networkingTaskDidResume` unless the task was running or has ended.
    public func resume() {
        let (move, session) = values.withLock { values in
            let move = values.state.resume()
            if move.isFirst { values.queued = MonotonicClock.now }
            return (move, values.session)
        }
        guard move.isEffective else {
            if case .forward(let download) = move.action { return download.resume() }
            return notifyOfFailure()
        }
        EventRecorder.instant(.sessionTaskState, subject: number, text: TaskText.resumed)
        if move.isFirst {
            EventRecorder.begin(.sessionTask, subject: number, text: eventText)
        }
        if move.isChange { session?.notifyObserver(of: self) { $0.requestDidStart($1) } }
        if case .follow = move.action { start() }
        if move.isChange, let session {
            session.delegate?.session(session, task: self, wasResumed: true)
        }
    }

    /// Stops the task until `resume()` was called as often.
    ///
    /// A session manager posts `networkingTaskDidSuspend` unless the task was suspended or has
    /// ended.
    public func suspend() {
        let (move, session, load) = values.withLock { values in
            (values.state.suspend(), values.session, values.load)
        }
        guard move.isEffective else {
            if case .forward(let download) = move.action { download.suspend() }
            return
        }
        if case .follow = move.action { load?.follow() }
        EventRecorder.instant(.sessionTaskState, subject: number, text: TaskText.suspended)
        if move.isChange, let session {
            session.delegate?.session(session, task: self, wasResumed: false)
        }
    }

    /// Ends the task with `URLError.cancelled`; its handler is called as for any other error.
    public func cancel() {
        cancel(with: nil)
    }

    // MARK: - State

    /// Whether it runs, is suspended, is being cancelled or has ended.
    public var state: URLSessionTask.State {
        values.withLock { $0.staysSuspended ? .suspended : $0.state.foundationState }
    }

    /// From now on `state` of a task that is suspended is `suspended`, also when it has been cancelled.
    package func staySuspended() {
        values.withLock { $0.staysSuspended = $0.state.foundationState == .suspended }
    }

    /// Nil: no task runs in Foundation's session.
    @available(*, deprecated, message: "It is nil: no task runs in Foundation's session.")
    public var urlSessionTask: URLSessionTask? { nil }

    /// The latest response that is not informational; nil before there is one.
    public var response: URLResponse? { values.withLock { $0.response } }

    /// The request after redirects.
    public var currentRequest: URLRequest? {
        let (load, last) = values.withLock { ($0.load, $0.lastRequest) }
        return load?.currentRequest ?? last ?? originalRequest
    }

    /// The error of the task; the serializer's error goes to the completion handler only.
    public var error: (any Error)? { values.withLock { $0.state.error } }

    /// The caller's description of the task; AFNetworking used it for itself.
    public var taskDescription: String? {
        get { values.withLock { $0.description } }
        set { values.withLock { $0.description = newValue } }
    }

    /// From 0 to 1, 0.5 by default. It decides which task gets the next connection.
    public var priority: Float {
        get { values.withLock { $0.priority } }
        set { values.withLock { $0.priority = newValue } }
    }

    /// The times of the task, after its end.
    public var metrics: RequestMetrics? { values.withLock { $0.metrics } }

    // MARK: - Counts

    /// The bytes of the body sent in the current transfer.
    public var countOfBytesSent: Int64 { values.withLock { $0.sent.count } }
    /// The bytes of the body received, for a download those in its file.
    public var countOfBytesReceived: Int64 { values.withLock { $0.received.count } }
    /// The bytes of the body to be sent; -1 where unknown.
    public var countOfBytesExpectedToSend: Int64 { values.withLock { $0.sent.total } }
    /// The bytes of the body to be received; -1 where unknown, as for compressed ones (LX-25).
    public var countOfBytesExpectedToReceive: Int64 { values.withLock { $0.received.total } }
}

extension SessionTask: ObservedWork {
    /// Whether its state is `running`.
    public var isUnderWay: Bool { state == .running }

    /// Whether it has ended. `state` may still be `suspended` then, where its manager was released.
    public var hasEnded: Bool { values.withLock { $0.state.hasEnded } }
}

extension SessionTask: Hashable, CustomStringConvertible {
    /// Whether both are the same object.
    public static func == (first: SessionTask, second: SessionTask) -> Bool { first === second }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }

    /// Class, number, method, URL and state.
    public var description: String {
        "<\(type(of: self)) \(taskIdentifier): \(Redaction.text(source.methodAndURL)), \(state)>"
    }
}

/// A task whose body is passed on as `Data` and as an object.
///
/// A task that became a download is `completed`; `cancel`, `suspend` and `resume` then act on the download.
public class SessionDataTask: SessionTask, @unchecked Sendable {
    // @unchecked because it adds nothing to its superclass.
}

/// A data task that sends a body from a file, from memory or from a stream.
public final class SessionUploadTask: SessionDataTask, @unchecked Sendable {
    // @unchecked because it adds nothing to its superclass.
}

/// A task whose body goes to a file, which the session writes itself. Another task can continue the part
/// of a cancelled one.
public final class SessionDownloadTask: SessionTask, @unchecked Sendable {
    // @unchecked because it adds nothing to its superclass.

    /// Cancels the task and returns resume data.
    ///
    /// - Parameter completionHandler: called once, on the delegate queue and before the task's own
    ///   handler, with the data for `downloadTask(withResumeData:…)`. The data is nil when the
    ///   download cannot be continued: no byte was received, the server sent no validator, or the body
    ///   has a content coding. It is nil too when the request is not a GET or has a `Range`, or the task has ended.
    public func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void)
    {
        cancel(with: completionHandler)
    }
}

/// What carries the tasks of a session: `URLConnection` on the network thread, with libcurl.
public enum SessionTransport: Sendable {
    /// The only one.
    case connection

    /// Foundation's `URLSession`, which carried tasks in an earlier version.
    @available(
        *, unavailable,
        message: """
            Every task runs on URLConnection. For a mock of URLProtocol set protocolClasses of the configuration; \
            for Foundation's own behaviour use URLSession.
            """
    )
    public static var foundation: SessionTransport { .connection }
}
