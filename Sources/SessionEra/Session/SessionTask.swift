public import Foundation
public import FoundationNetworking
import EventRecorder

/// A task of a session manager: it owns the `URLSessionTask` and takes its place (UM-14).
///
/// AFNetworking replaced `resume` and `suspend` of Foundation's own tasks to post notifications.
/// This handle posts them in its own methods; `urlSessionTask.resume()` works and posts none.
///
/// ## On Linux
/// - A suspended transfer cannot be continued (LX-06), and a half-sent body is lost. So `suspend()`
///   ends the `URLSessionTask`, and `resume()` makes a new one of the same request: a data or
///   upload task starts again, a download requests the rest. The server sees two requests.
/// - Counts and progress are the manager's own; Foundation's stay at 0 for data tasks (LX-02).
/// - `priority` is stored and never used (LX-16).
///
/// ## Concurrency
/// Call from: any thread. Locks: `lock` guards `values`; `driving` is held while Foundation's tasks
/// are made, resumed and cancelled, because each of these waits for the queue that all sessions
/// share. `driving` is taken before `lock`. Calls out on: main (notifications), without a lock.
public class SessionTask: @unchecked Sendable {
    // @unchecked because `values` is only touched under `lock`; the rest is constant.

    // MARK: Set once

    /// The number of the first `URLSessionTask`; unique within a session.
    public let taskIdentifier: Int
    /// The request as the session took it.
    public let originalRequest: URLRequest?
    let source: TransferSource
    let delegate: SessionTaskDelegate
    let stream: BodyStream
    /// The subject of recorded events.
    let number = EventRecorder.nextNumber()
    let driving = NSLock()
    let lock = NSLock()

    // MARK: Guarded by lock

    var values = Values()

    init(
        _ source: TransferSource, _ start: Start, _ delegate: SessionTaskDelegate,
        _ stream: BodyStream
    ) {
        self.source = source
        self.delegate = delegate
        self.stream = stream
        switch start {
        case .ready(let raw, let session, let manager):
            taskIdentifier = raw.taskIdentifier
            originalRequest = BodyFraming.shown(raw.originalRequest ?? source.request)
            values.raw = raw
            values.session = session
            values.manager = manager
        case .failed(let error):
            taskIdentifier = 0
            originalRequest = source.request
            values.phase = .completed
            values.error = error
        }
    }

    enum Start {
        case ready(URLSessionTask, GuardedSession, URLSessionManager)
        case failed(any Error)
    }

    // MARK: - Running

    /// Starts the task, or undoes one `suspend()`.
    ///
    /// Posts `networkingTaskDidResume` unless the task was running or has ended.
    public func resume() {
        guard let edge = lock.withLock({ values.resume() }) else { return }
        EventRecorder.instant(.sessionTaskState, subject: number, text: Text.resumed)
        if edge.isFirst {
            EventRecorder.begin(.sessionTask, subject: number, text: eventText)
        }
        if edge.mustStart { start() }
        if edge.isNews { post(.networkingTaskDidResume) }
    }

    /// Stops the task until `resume()` was called as often.
    ///
    /// Posts `networkingTaskDidSuspend` unless the task was suspended or has ended.
    public func suspend() {
        let edge = stopping { values in
            let edge = values.suspend()
            return (edge, edge?.dropped)
        }
        guard let edge else { return }
        EventRecorder.instant(.sessionTaskState, subject: number, text: Text.suspended)
        if edge.isNews { post(.networkingTaskDidSuspend) }
    }

    /// Ends the task with `URLError.cancelled`; its handler is called as for any other error.
    public func cancel() {
        cancel(with: nil)
    }

    // MARK: - State

    /// Whether it runs, waits, is being cancelled or has ended.
    public var state: URLSessionTask.State { lock.withLock { values.state } }

    /// Foundation's task, a new one after each `suspend()`; nil between that and `resume()`, and
    /// where none could be made.
    public var urlSessionTask: URLSessionTask? { lock.withLock { values.raw } }

    /// The latest response that is not informational; nil before there is one.
    public var response: URLResponse? {
        lock.withLock { values.response ?? values.raw?.response }
    }

    /// The request after redirects.
    public var currentRequest: URLRequest? {
        lock.withLock { values.raw?.currentRequest ?? values.lastRequest }
            .map(BodyFraming.shown) ?? originalRequest
    }

    /// The error of the task; the serializer's error goes to the completion handler only.
    public var error: (any Error)? { lock.withLock { values.error } }

    /// The caller's description of the task; AFNetworking used it for itself (UM-15).
    public var taskDescription: String? {
        get { lock.withLock { values.description } }
        set { lock.withLock { values.description = newValue } }
    }

    /// From 0 to 1, 0.5 by default; stored and never used (LX-16).
    public var priority: Float {
        get { lock.withLock { values.priority } }
        set { lock.withLock { values.priority = newValue } }
    }

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
    public var uploadProgress: Progress { delegate.progress.upload }
    /// The download's progress in bytes; cancelling, pausing and resuming it act on the task.
    public var downloadProgress: Progress { delegate.progress.download }
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
public class SessionDataTask: SessionTask, @unchecked Sendable {
    // @unchecked because it adds nothing to its superclass.
}

/// A data task that sends a body from a file, from memory or from a stream.
public final class SessionUploadTask: SessionDataTask, @unchecked Sendable {
    // @unchecked because it adds nothing to its superclass.
}

/// A task whose body goes to a file.
///
/// ## On Linux
/// Foundation has no resume data there (LX-07), and its download task puts the bytes of two
/// transfers into one file when it is suspended and resumed. So the manager writes the file itself,
/// and `urlSessionTask` is a data task.
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
