public import CurlConnection
public import Foundation
public import FoundationNetworking
import Locking
import OperationNetworking
@_exported public import SessionTasks

/// Makes tasks of a session, collects their bodies, and passes them on as objects.
///
/// It is AFNetworking 4's `AFURLSessionManager`. Its session is made when it is first needed, and
/// retains its manager until it is invalidated: `withManager` does that at the end of a
/// block.
///
/// Its tasks run on this package's own transport: security policies, Digest, metrics, the cache, dispositions, client
/// certificates, proxies and the limit for a whole task work. `SessionTask.suspend()` keeps the connection of a
/// transfer, and several requests share a connection of HTTP/2.
///
/// ## On Linux
/// - LX-20 no background sessions: the background-events block is never called.
/// - LX-28 no key-value observing: tasks and progress have closures and notifications.
/// - LX-27 a task of an invalidated session fails with `SessionError.sessionInvalidated`.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the settings; the session has
/// its own. Calls out on: the delegate queue (blocks, destination, progress), the processing pool
/// (the response serializer), `completionQueue` or main (completion handlers), main
/// (notifications); never under a lock.
open class URLSessionManager: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // @unchecked because the compiler does not accept an open class as Sendable; all it has is constant.

    /// Called with the response, the object and the error; the response is nil where there is none.
    public typealias CompletionHandler =
        @Sendable (URLResponse?, sending Any?, (any Error)?) -> Void
    /// Called with the response, the file's URL and the error.
    public typealias DownloadCompletionHandler =
        @Sendable (URLResponse?, URL?, (any Error)?) -> Void
    /// Called with the temporary file and the response; returns the file's destination.
    public typealias Destination = @Sendable (URL, URLResponse) -> URL
    /// Called on the delegate queue with the progress.
    public typealias ProgressBlock = @Sendable (Progress) -> Void

    // MARK: Set once

    let slot: SessionSlot
    let settings = Locked(SettingsObject(SessionSettings()))

    // MARK: - Making

    /// Makes a manager; its session is made when it is first needed.
    ///
    /// - Parameter sessionConfiguration: copied now; nil is the default one.
    public init(sessionConfiguration: URLSessionConfiguration?) {
        slot = SessionSlot(sessionConfiguration)
        super.init()
    }

    /// Makes a manager.
    @available(*, deprecated, message: "There is one transport.")
    public convenience init(
        sessionConfiguration: URLSessionConfiguration?, transport: SessionTransport
    ) {
        self.init(sessionConfiguration: sessionConfiguration)
    }

    /// Makes a manager with the default configuration.
    public override convenience init() {
        self.init(sessionConfiguration: nil)
    }

    // MARK: - Session

    /// What carries the tasks.
    @available(*, deprecated, message: "There is one transport.")
    public var transport: SessionTransport { .connection }

    /// The serial queue on which the session calls its delegate (UM-01, LX-17).
    public var operationQueue: OperationQueue { slot.queue }

    /// The session; made at the first call, and again after an invalidation with reset.
    ///
    /// It carries none of the tasks. Blocks and notifications are called with it, it has the
    /// manager's configuration and delegate queue, and invalidating it invalidates the manager's
    /// session. A task that is made of it runs in Foundation, and its events do not reach the
    /// manager.
    public var session: URLSession { taskSession.urlSession }

    var taskSession: TaskSession { slot.session(for: self) }

    /// What each connection is set up with; it counts for tasks that are started
    /// after it was set.
    ///
    /// Nil, the initial value, follows the session configuration: its limit of connections per
    /// host, its protocol classes, `connectionProxyDictionary` (without one the environment's proxies), and
    /// its stores, each replaced by one of this package. Foundation's shared stores stand for `CookieStorage.shared`,
    /// `ResponseCache.shared` and `CredentialStorage.shared`; another cookie storage is used
    /// itself, by our rules; another cache or credential storage stands for an empty one of the
    /// session's own. The configuration's header fields, time-outs and cache policy count in both
    /// cases.
    public var connectionConfiguration: URLConnectionConfiguration? {
        get { slot.options.current.connection }
        set { slot.options.change { $0.setConnectionKeepingPolicies(newValue) } }
    }

    /// Ends the session, which then releases its delegate and this manager.
    ///
    /// - Parameters:
    ///   - cancelPendingTasks: whether tasks are cancelled; otherwise they run to their end. A
    ///     suspended task must be resumed or cancelled for that.
    ///   - resetSession: whether the next use makes a new session. Otherwise every further task
    ///     fails with `SessionError.sessionInvalidated`.
    open func invalidateSessionCancelingTasks(_ cancelPendingTasks: Bool, resetSession: Bool) {
        let session = taskSession
        if cancelPendingTasks {
            session.invalidateAndCancel()
        } else {
            session.finishTasksAndInvalidate()
        }
        if resetSession { slot.reset(session) }
    }

    /// Runs a block with a manager and then invalidates its session, also when the block throws.
    ///
    /// Tasks that still run are cancelled. Source: UM-30.
    public static func withManager<Manager: URLSessionManager, Value>(
        _ manager: Manager, _ body: (Manager) async throws -> Value
    ) async rethrows -> Value {
        defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
        return try await body(manager)
    }

    // MARK: - Tasks

    // @_disfavoredOverload, here and on whatever returns a task: where module AFNetworking is imported,
    // a call that fits both is to give Foundation's type, as old sources expect. Others see no overload.

    /// Makes a suspended data task.
    ///
    /// - Parameters:
    ///   - uploadProgress: called on the delegate queue as the body is sent.
    ///   - downloadProgress: called on the delegate queue as the body is received.
    ///   - completionHandler: called once, on `completionQueue` or main. With an error of the
    ///     session the object is nil; with an error of the serializer there may be an object.
    /// - Returns: the task. When none can be made, it has already ended, and the handler gets the
    ///   error: `SessionError`, or `URLError` for a request without a URL.
    @_disfavoredOverload
    open func dataTask(
        with request: URLRequest, uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil, completionHandler: CompletionHandler? = nil
    ) -> SessionDataTask {
        managed(.object(completionHandler), upload: uploadProgress, download: downloadProgress) {
            $0.dataTask(with: request, handler: $1)
        }
    }

    /// Makes a suspended upload task of a file. Otherwise it is like `dataTask(with:…)`.
    ///
    /// For a file that is missing, is a directory or cannot be read, the task fails with a
    /// `URLError` that names the file, now or when it is resumed.
    @_disfavoredOverload
    open func uploadTask(
        with request: URLRequest, fromFile fileURL: URL, progress: ProgressBlock? = nil,
        completionHandler: CompletionHandler? = nil
    ) -> SessionUploadTask {
        managed(.object(completionHandler), upload: progress) {
            $0.uploadTask(with: request, fromFile: fileURL, handler: $1)
        }
    }

    /// Makes a suspended upload task of bytes. Otherwise it is like `dataTask(with:…)`.
    @_disfavoredOverload
    open func uploadTask(
        with request: URLRequest, from bodyData: Data?, progress: ProgressBlock? = nil,
        completionHandler: CompletionHandler? = nil
    ) -> SessionUploadTask {
        managed(.object(completionHandler), upload: progress) {
            $0.uploadTask(with: request, from: bodyData, handler: $1)
        }
    }

    /// Makes a suspended upload task of the request's stream. Otherwise it is like
    /// `dataTask(with:…)`.
    ///
    /// The task sends as many bytes as the request's `Content-Length`, or chunks without one. It
    /// fails with `URLError.requestBodyStreamExhausted` when the stream ends before. A transfer
    /// takes its stream from the block of `setTaskNeedNewBodyStreamBlock`; without a block it takes
    /// a copy of a multipart form's stream, or any other stream itself, once.
    @_disfavoredOverload
    open func uploadTask(
        withStreamedRequest request: URLRequest, progress: ProgressBlock? = nil,
        completionHandler: CompletionHandler? = nil
    ) -> SessionUploadTask {
        managed(.object(completionHandler), upload: progress) {
            $0.uploadTask(withStreamedRequest: request, handler: $1)
        }
    }

    /// Makes a suspended download task.
    ///
    /// - Parameters:
    ///   - progress: called on the delegate queue as the body is received.
    ///   - destination: called on the delegate queue with the temporary file and the response; the
    ///     file is moved to the URL it returns before anything else happens. With nil the file is
    ///     removed at the end.
    ///   - completionHandler: called once, on `completionQueue` or main, with the file's URL, or with the
    ///     error of the session and no URL (UM-06).
    @_disfavoredOverload
    open func downloadTask(
        with request: URLRequest, progress: ProgressBlock? = nil, destination: Destination? = nil,
        completionHandler: DownloadCompletionHandler? = nil
    ) -> SessionDownloadTask {
        managed(.file(completionHandler, destination), download: progress) {
            $0.downloadTask(with: request, handler: $1)
        }
    }

    /// Makes a suspended download task that continues a cancelled one.
    ///
    /// The task requests the rest with `Range` and `If-Range` (RFC 9110 section 13.1.5). A 206 is
    /// appended, a 200 replaces the part, and a 416 ends a download that was whole already; anything else is
    /// an error. Resume data serves one task. It has neither the URL's user and password nor the
    /// credentials among the request's header fields. When the server requires them, the task sends those of the
    /// session's configuration, or asks the challenge handler.
    ///
    /// - Parameter resumeData: from `cancel(byProducingResumeData:)`, or the value of
    ///   `URLSessionDownloadTaskResumeData` in an error's user info. When it cannot be used, the
    ///   task has failed with `SessionError.unusableResumeData`.
    @_disfavoredOverload
    open func downloadTask(
        withResumeData resumeData: Data, progress: ProgressBlock? = nil,
        destination: Destination? = nil, completionHandler: DownloadCompletionHandler? = nil
    ) -> SessionDownloadTask {
        managed(.file(completionHandler, destination), download: progress) {
            $0.downloadTask(withResumeData: resumeData, handler: $1)
        }
    }

    /// A task with its handler. Where it could not be made, the completion handler is called without waiting for
    /// `resume`, and nothing else is.
    func managed<Task: SessionTask>(
        _ ending: ManagedTask.Ending, upload: ProgressBlock? = nil,
        download: ProgressBlock? = nil,
        _ make: (TaskSession, TaskSession.MakesHandler) -> Task
    ) -> Task {
        let work = ManagedTask(ending, upload: upload, download: download)
        let session = taskSession
        let task = make(session) { _ in work }
        if task.taskIdentifier == 0, let error = task.error {
            work.finish(task, current, error, isSilent: true, in: session)
        }
        return task
    }

    /// The reason why a request must not be sent, or nil; checked when a task is made, resumed or redirected.
    func refusal(of request: URLRequest) -> SessionError? { nil }

    // MARK: - Copying and coding

    /// A manager with the same configurations, retry policy, interceptor and observer, and nothing else.
    ///
    /// A subclass's `init(coder:)` makes it, with a coder that has no values; where that returns
    /// nil, it is a manager of this class. A subclass with more to copy overrides this.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy =
            CopySource.copy(self) ?? URLSessionManager(sessionConfiguration: slot.configuration)
        copySettings(to: copy)
        return copy
    }

    func copySettings(to copy: URLSessionManager) {
        copy.connectionConfiguration = connectionConfiguration
        copy.retryPolicy = retryPolicy
        copy.interceptor = interceptor
        copy.observer = observer
    }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the settings of the configuration that an archive can have: time-outs, cache policy, cookies, cellular
    /// access, connections per host, and header fields that are text.
    open func encode(with coder: NSCoder) {
        SessionConfigurationArchive.encode(slot.configuration, with: coder)
    }

    /// Reads what `encode` wrote.
    public required init?(coder: NSCoder) {
        if let original = CopySource.original(of: coder, as: URLSessionManager.self) {
            slot = SessionSlot(original.slot.configuration)
            super.init()
            return
        }
        guard let configuration = SessionConfigurationArchive.decode(from: coder) else {
            return nil
        }
        slot = SessionSlot(configuration)
        super.init()
    }

    // MARK: - Description

    override open var description: String {
        let address = Unmanaged.passUnretained(self).toOpaque()
        return "<\(type(of: self)): \(address), operationQueue: \(operationQueue)>"
    }
}

extension URLSessionManager {
    // MARK: - Progress

    /// The upload's progress; nil after the end.
    public func uploadProgress(for task: SessionTask) -> Progress? {
        isManaging(task) ? task.uploadProgress : nil
    }

    /// The download's progress; nil after the end.
    public func downloadProgress(for task: SessionTask) -> Progress? {
        isManaging(task) ? task.downloadProgress : nil
    }

    private func isManaging(_ task: SessionTask) -> Bool {
        guard let work = task.handler as? ManagedTask, !work.shared.withLock({ $0.isOver }) else {
            return false
        }
        return slot.sessions.contains { $0.isListing(task) }
    }

    /// Retains an object until a task has ended and its blocks were called; not at all for one that
    /// has ended.
    ///
    /// It is for the task of Foundation's type that the caller has, since Foundation's session
    /// retains its tasks.
    package func keep(_ foundationTask: any AnyObject & Sendable, until task: SessionTask) {
        guard let work = task.handler as? ManagedTask else { return }
        work.shared.withLock { if !$0.isOver { $0.foundationTask = foundationTask } }
    }

    // MARK: - Lists

    /// The tasks that have not ended, in the order in which they were made.
    ///
    /// The list is the session's own. So it does not wait for the delegate queue and cannot
    /// deadlock there, as AFNetworking's could.
    public var tasks: [SessionTask] {
        slot.sessions.flatMap(\.tasks).sorted { $0.number < $1.number }
    }

    /// The data tasks of `tasks`, without uploads.
    public var dataTasks: [SessionDataTask] {
        tasks.compactMap { $0 is SessionUploadTask ? nil : $0 as? SessionDataTask }
    }

    /// The upload tasks of `tasks`.
    public var uploadTasks: [SessionUploadTask] {
        tasks.compactMap { $0 as? SessionUploadTask }
    }

    /// The download tasks of `tasks`.
    public var downloadTasks: [SessionDownloadTask] {
        tasks.compactMap { $0 as? SessionDownloadTask }
    }
}
