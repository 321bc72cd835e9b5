public import CurlConnection
public import Foundation
public import FoundationNetworking
import EventRecorder
public import OperationNetworking

/// A task of a session, with one load in its life.
///
/// AFNetworking replaced `resume` and `suspend` of Foundation's own tasks to post notifications.
/// A session manager posts them when this handle is resumed and suspended.
///
/// A task that is resumed goes on where it was, on the same connection: the server is not asked twice. The limit for the
/// whole load runs on while it is suspended.
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock` guards `values`. Calls out on: the caller's thread (the session's delegate, about
/// resuming and suspending), without the lock.
public class SessionTask: @unchecked Sendable {
    // @unchecked because `values` is only touched under `lock`; the rest is constant, and the file
    // belongs to the delegate queue.

    // MARK: Set once

    /// Unique within a session; 0 for a task that could not be made.
    public let taskIdentifier: Int
    /// The request as the session took it.
    public let originalRequest: URLRequest?
    let source: TransferSource
    /// A download's.
    let file: DownloadFile?
    let stream: BodyStream
    /// Of its session, on which its handler is called.
    let delegateQueue: OperationQueue
    let progress = TransferProgress()
    /// The subject of recorded events.
    package let number = EventRecorder.nextNumber()
    let lock = NSLock()

    // MARK: Guarded by lock

    var values: Values

    init(_ source: TransferSource, _ start: Start, _ file: DownloadFile?, _ stream: BodyStream) {
        self.source = source
        self.file = file
        self.stream = stream
        originalRequest = source.request
        switch start {
        case .ready(let load, let session):
            taskIdentifier = load.taskIdentifier
            delegateQueue = session.delegateQueue
            values = Values(state: TaskState(), load: load, session: session)
        case .failed(let error, let session):
            taskIdentifier = 0
            delegateQueue = session.delegateQueue
            values = Values(state: TaskState(failedWith: error), unheardFailure: session)
        }
    }

    enum Start {
        case ready(ConnectionTransfer, TaskSession)
        case failed(any Error, TaskSession)
    }

    /// Bytes; -1 is unknown (LX-19).
    struct Counts {
        var sent: Int64 = 0
        var received: Int64 = 0
        var toSend: Int64 = -1
        var toReceive: Int64 = -1
    }

    struct Values {
        var state: TaskState
        /// Nil where the task could not be made, and from the end on.
        var load: ConnectionTransfer?
        /// Released at the end.
        var session: TaskSession?
        var handler: (any TaskHandler)?
        /// The session whose handler has not been called about a task that could not be made.
        var unheardFailure: TaskSession?
        /// When it was first resumed, in nanoseconds of the monotonic clock.
        var queued: UInt64 = 0
        var response: URLResponse?
        /// The request after redirects, from the end on.
        var lastRequest: URLRequest?
        /// The error of an era that could not put the file of a download where it belongs.
        var placementFailure: (any Error)?
        var counts = Counts()
        var metrics: RequestMetrics?
        var description: String?
        var priority = URLSessionTask.defaultPriority
        /// Whether a reader takes the body as it comes.
        var isBodyStreamed = false
        /// Whether it was suspended when its manager went, which its state then goes on to say.
        var staysSuspended = false
    }

    // MARK: - Running

    /// Starts the task, or undoes one `suspend()`.
    ///
    /// A session manager posts `networkingTaskDidResume` unless the task was running or has ended.
    public func resume() {
        let (move, session) = lock.withLock {
            let move = values.state.resume()
            if move.isFirst { values.queued = MonotonicClock.now }
            return (move, values.session)
        }
        guard move.wasLive else {
            if case .forward(let download) = move.action { return download.resume() }
            return tellOfFailure()
        }
        EventRecorder.instant(.sessionTaskState, subject: number, text: Text.resumed)
        if move.isFirst {
            EventRecorder.begin(.sessionTask, subject: number, text: eventText)
        }
        if move.isNews { session?.tellObserver(of: self) { $0.requestDidStart($1) } }
        if case .follow = move.action { start() }
        if let session {
            session.delegate?.session(session, taskDidResume: self, isNews: move.isNews)
        }
    }

    /// Stops the task until `resume()` was called as often.
    ///
    /// A session manager posts `networkingTaskDidSuspend` unless the task was suspended or has
    /// ended.
    public func suspend() {
        let (move, session, load) = lock.withLock {
            (values.state.suspend(), values.session, values.load)
        }
        guard move.wasLive else {
            if case .forward(let download) = move.action { download.suspend() }
            return
        }
        if case .follow = move.action { load?.follow() }
        EventRecorder.instant(.sessionTaskState, subject: number, text: Text.suspended)
        if let session {
            session.delegate?.session(session, taskDidSuspend: self, isNews: move.isNews)
        }
    }

    /// Ends the task with `URLError.cancelled`; its handler is called as for any other error.
    public func cancel() {
        cancel(with: nil)
    }

    // MARK: - State

    /// Whether it runs, waits, is being cancelled or has ended.
    public var state: URLSessionTask.State {
        lock.withLock { values.staysSuspended ? .suspended : values.state.shown }
    }

    /// From now on a task that is suspended says `suspended`, even once it is cancelled.
    package func staySuspended() {
        lock.withLock { values.staysSuspended = values.state.shown == .suspended }
    }

    /// Nil: no task runs in Foundation's session.
    @available(*, deprecated, message: "It is nil: no task runs in Foundation's session.")
    public var urlSessionTask: URLSessionTask? { nil }

    /// The latest response that is not informational; nil before there is one.
    public var response: URLResponse? { lock.withLock { values.response } }

    /// The request after redirects.
    public var currentRequest: URLRequest? {
        let (load, last) = lock.withLock { (values.load, values.lastRequest) }
        return load?.currentRequest ?? last ?? originalRequest
    }

    /// The error of the task; the serializer's error goes to the completion handler only.
    public var error: (any Error)? { lock.withLock { values.state.error } }

    /// The caller's description of the task; AFNetworking used it for itself (UM-15).
    public var taskDescription: String? {
        get { lock.withLock { values.description } }
        set { lock.withLock { values.description = newValue } }
    }

    /// From 0 to 1, 0.5 by default. It decides which task gets the next connection.
    public var priority: Float {
        get { lock.withLock { values.priority } }
        set { lock.withLock { values.priority = newValue } }
    }

    /// The times of the task, after its end.
    public var metrics: RequestMetrics? { lock.withLock { values.metrics } }

    // MARK: - Counts

    /// The bytes of the body sent in the current transfer.
    public var countOfBytesSent: Int64 { lock.withLock { values.counts.sent } }
    /// The bytes of the body received, for a download those in its file.
    public var countOfBytesReceived: Int64 { lock.withLock { values.counts.received } }
    /// The bytes of the body to be sent; -1 where unknown.
    public var countOfBytesExpectedToSend: Int64 { lock.withLock { values.counts.toSend } }
    /// The bytes of the body to be received; -1 where unknown, as for compressed ones (LX-25).
    public var countOfBytesExpectedToReceive: Int64 { lock.withLock { values.counts.toReceive } }

    /// The upload's progress in bytes; cancelling, pausing and resuming it act on the task (UM-10).
    public var uploadProgress: Progress { progress.object(.upload, of: self) }
    /// The download's progress in bytes; cancelling, pausing and resuming it act on the task.
    public var downloadProgress: Progress { progress.object(.download, of: self) }
}

extension SessionTask: ObservedWork {
    /// Whether its state is `running`.
    public var isUnderWay: Bool { state == .running }

    /// Whether its state is `completed`.
    public var hasEnded: Bool { lock.withLock { values.state.hasEnded } }

    /// Adds a progress block that is called on the delegate queue, as long as the task lives.
    public func addProgressBlock(
        for direction: ByteDirection = .download,
        _ block: @escaping ObservedWork.ProgressBlock
    ) {
        progress.add(block, for: direction)
    }
}

extension SessionTask: Hashable, CustomStringConvertible {
    /// The same task.
    public static func == (first: SessionTask, second: SessionTask) -> Bool { first === second }

    /// By identity.
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
/// A task that became a download is `completed`, and passes `cancel`, `suspend` and `resume` on to the download.
public class SessionDataTask: SessionTask, @unchecked Sendable {
    // @unchecked because it adds nothing to its superclass.
}

/// A data task that sends a body from a file, from memory or from a stream.
public final class SessionUploadTask: SessionDataTask, @unchecked Sendable {
    // @unchecked because it adds nothing to its superclass.
}

/// A task whose body goes to a file, which the session writes itself. The part of a cancelled one
/// can be continued by another task (UM-07).
public final class SessionDownloadTask: SessionTask, @unchecked Sendable {
    // @unchecked because it adds nothing to its superclass.

    /// Cancels the task and returns resume data.
    ///
    /// - Parameter completionHandler: called once, on the delegate queue and before the task's own
    ///   handler, with the data for `downloadTask(withResumeData:…)`. The data is nil when the
    ///   download cannot be continued: no byte was received, the server sent no validator, the body
    ///   has a content coding, or the task has ended.
    public func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void)
    {
        cancel(with: completionHandler)
    }
}
