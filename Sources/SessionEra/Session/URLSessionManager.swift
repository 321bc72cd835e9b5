public import Foundation
public import FoundationNetworking
public import OperationNetworking

/// Makes tasks of a `URLSession`, collects what they receive, and hands it over as an object.
///
/// It is AFNetworking 4's `AFURLSessionManager` on Foundation's `URLSession`. The session is made
/// when it is first needed; it keeps its manager alive until it is invalidated (UM-30):
/// `withManager` does that at the end of a block.
///
/// ## On Linux
/// What Foundation's URLSession cannot do there, and what happens instead:
/// - LX-01 no metrics: the metrics block is never called, the notification has none.
/// - LX-02, LX-19 no counts for data tasks: the manager counts; an unknown length is -1.
/// - LX-03, LX-20 no disposition of a response: `.cancel` cancels the task; `.becomeDownload` fails
///   it with `SessionError.cannotBecomeDownload`.
/// - LX-04, LX-05 the body of a 401 before a second try, and 100 Continue, reach the delegate: each
///   response empties what was collected; informational ones are ignored.
/// - LX-06 a suspended transfer cannot go on: see `SessionTask`.
/// - LX-07 no resume data: downloads are the manager's own, with `Range` and `If-Range`.
/// - LX-08 no response is cached: the cache block is never called.
/// - LX-11 a redirect to another origin takes `Authorization` and `Cookie` along: they are stripped;
///   see `forwardsCredentialsToOtherOrigins`.
/// - LX-12 challenges for Basic alone; a 401 for Digest is the answer.
/// - LX-13 no server trust: an https task, or a redirect to https, under a policy that libcurl's own
///   judgement does not satisfy fails with `SessionError.securityPolicyNotHonoured` before anything
///   is sent; with a session challenge block it fails with `.challengeBlockNeverAsked`.
/// - LX-20 no background sessions: the background-events block is never called.
/// - LX-24 no `connectionProxyDictionary`: the environment's proxy variables (`http_proxy`,
///   `https_proxy`, `all_proxy`, `no_proxy`) are obeyed.
/// - LX-27 a task of an invalidated session stops the process: here it fails with
///   `SessionError.sessionInvalidated`.
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock` around the settings; the table of tasks and the session have
/// their own. Calls out on: the delegate queue (blocks, destination, progress), the processing pool
/// (the response serializer), `completionQueue` or main (completion handlers), main (notifications);
/// never under a lock.
open class URLSessionManager: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // @unchecked because `settings` is only touched under `lock`; the rest is constant.

    /// Called with the response, the object and the error; the response is nil where there is none.
    public typealias CompletionHandler =
        @Sendable (URLResponse?, sending Any?, (any Error)?) -> Void
    /// Called with the response, the file's URL and the error.
    public typealias DownloadCompletionHandler =
        @Sendable (URLResponse?, URL?, (any Error)?) -> Void
    /// Called with the temporary file and the response; returns where the file goes.
    public typealias Destination = @Sendable (URL, URLResponse) -> URL
    /// Called on the delegate queue with the progress.
    public typealias ProgressBlock = @Sendable (Progress) -> Void

    // MARK: Set once

    /// The queue on which the session calls its delegate; one wide (UM-01, LX-17).
    public let operationQueue: OperationQueue
    let table = TaskTable()
    let slot: SessionSlot
    private let lock = NSLock()

    // MARK: Guarded by lock

    private var settings = SessionSettings()

    // MARK: - Making

    /// Makes a manager; its session is made when it is first needed.
    ///
    /// - Parameter sessionConfiguration: copied now; nil is the default one (UM-01).
    public required init(sessionConfiguration: URLSessionConfiguration?) {
        operationQueue = OperationQueue()
        operationQueue.maxConcurrentOperationCount = 1
        operationQueue.name = "com.alamofire.networking.session.delegate"
        slot = SessionSlot(sessionConfiguration)
        super.init()
    }

    /// Makes a manager with the default configuration.
    public override convenience init() {
        self.init(sessionConfiguration: nil)
    }

    // MARK: - Session

    /// The session; made at the first call, and again after an invalidation with reset (UM-02).
    ///
    /// Its configuration is the manager's without a cache (LX-08), and without `Authorization`,
    /// `Cookie` and `Proxy-Authorization` among the additional headers: the manager gives those to
    /// its own tasks (LX-11), a task made of the session itself goes without.
    public var session: URLSession { guardedSession }

    var guardedSession: GuardedSession {
        slot.session {
            GuardedSession(
                configuration: $0, delegate: SessionDelegate(self), delegateQueue: operationQueue)
        }
    }

    /// Ends the session; what it keeps alive, this manager too, is let go of (UM-16, UM-30).
    ///
    /// - Parameters:
    ///   - cancelPendingTasks: whether tasks are cancelled; otherwise they run to their end. One
    ///     that is suspended has to be resumed or cancelled for that; one that was suspended while
    ///     it ran cannot be resumed any more, and fails (LX-06).
    ///   - resetSession: whether the next use makes a new session. Otherwise every further task
    ///     fails with `SessionError.sessionInvalidated`.
    open func invalidateSessionCancelingTasks(_ cancelPendingTasks: Bool, resetSession: Bool) {
        let session = guardedSession
        if cancelPendingTasks {
            session.invalidateAndCancel()
        } else {
            session.finishTasksAndInvalidate()
        }
        if resetSession { slot.reset(session) }
    }

    /// Runs a block with a manager and invalidates its session after it, also when it throws.
    ///
    /// Tasks that still run then are cancelled. Source: UM-30.
    public static func withManager<Manager: URLSessionManager, Value>(
        _ manager: Manager, _ body: (Manager) async throws -> Value
    ) async rethrows -> Value {
        defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
        return try await body(manager)
    }

    // MARK: - Tasks

    /// Makes a data task, suspended (UM-04).
    ///
    /// - Parameters:
    ///   - uploadProgress: called on the delegate queue as the body is sent.
    ///   - downloadProgress: called on the delegate queue as the body comes.
    ///   - completionHandler: called once, on `completionQueue` or main. On an error of the session
    ///     the object is nil; with one of the serializer it may be there.
    /// - Returns: the task. Where none can be made it has ended already, and the handler gets the
    ///   error: `SessionError`, or `URLError` for a request without a URL.
    open func dataTask(
        with request: URLRequest, uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil, completionHandler: CompletionHandler? = nil
    ) -> SessionDataTask {
        make(
            .data(request),
            SessionTaskDelegate(
                .object(completionHandler), upload: uploadProgress, download: downloadProgress),
            SessionDataTask.init)
    }

    /// Makes an upload task of a file, suspended (UM-05); otherwise as `dataTask(with:…)`.
    ///
    /// A file that is missing, is a directory or cannot be read gives a task that has failed with a
    /// `URLError` that names it, or fails it when it is resumed.
    open func uploadTask(
        with request: URLRequest, fromFile fileURL: URL, progress: ProgressBlock? = nil,
        completionHandler: CompletionHandler? = nil
    ) -> SessionUploadTask {
        upload(.file(request, fileURL), progress, completionHandler)
    }

    /// Makes an upload task of bytes, suspended (UM-05); otherwise as `dataTask(with:…)`.
    open func uploadTask(
        with request: URLRequest, from bodyData: Data?, progress: ProgressBlock? = nil,
        completionHandler: CompletionHandler? = nil
    ) -> SessionUploadTask {
        upload(.bytes(request, bodyData ?? Data()), progress, completionHandler)
    }

    /// Makes an upload task of the request's stream, suspended (UM-05); otherwise as
    /// `dataTask(with:…)`.
    ///
    /// It is sent by the request's `Content-Length`, just as many bytes, or without one in chunks; a
    /// stream that ends before fails the task with `URLError.requestBodyStreamExhausted`.
    /// The stream is asked for when it is needed: the block of `setTaskNeedNewBodyStreamBlock`
    /// first, else a copy of a multipart form's stream, else the stream itself, once.
    open func uploadTask(
        withStreamedRequest request: URLRequest, progress: ProgressBlock? = nil,
        completionHandler: CompletionHandler? = nil
    ) -> SessionUploadTask {
        upload(.stream(request), progress, completionHandler)
    }

    /// Makes a download task, suspended (UM-06).
    ///
    /// - Parameters:
    ///   - progress: called on the delegate queue as the body comes.
    ///   - destination: called on the delegate queue with the temporary file and the response; the
    ///     file is moved to the URL it returns before anything else happens. Nil: there is no file
    ///     after the end.
    ///   - completionHandler: called once, on `completionQueue` or main, with the file's URL.
    ///     `SessionDownloadTask` and UM-06 say what is an error.
    open func downloadTask(
        with request: URLRequest, progress: ProgressBlock? = nil, destination: Destination? = nil,
        completionHandler: DownloadCompletionHandler? = nil
    ) -> SessionDownloadTask {
        make(
            .download(request),
            SessionTaskDelegate(
                .file(completionHandler, destination), upload: nil, download: progress),
            SessionDownloadTask.init)
    }

    /// Makes a download task that goes on where another one was cancelled, suspended (UM-07).
    ///
    /// The rest is asked for with `Range` and `If-Range` (RFC 9110 section 13.1.5): 206 is appended,
    /// 200 replaces what there was, anything else is an error. Resume data is good for one task.
    /// The URL's user and password and the fields of the request that are credentials are not in it:
    /// where the server wants them, those of the session's configuration are sent, or the challenge
    /// handler is asked.
    ///
    /// - Parameter resumeData: from `cancel(byProducingResumeData:)`, or the value of
    ///   `URLSessionDownloadTaskResumeData` in an error's user info. Where it is of no use the task
    ///   has failed with `SessionError.unusableResumeData`.
    open func downloadTask(
        withResumeData resumeData: Data, progress: ProgressBlock? = nil,
        destination: Destination? = nil, completionHandler: DownloadCompletionHandler? = nil
    ) -> SessionDownloadTask {
        let delegate = SessionTaskDelegate(
            .file(completionHandler, destination), upload: nil, download: progress)
        do {
            let (request, file) = try ResumeData.claim(resumeData)
            delegate.file = file
            return make(.download(request), delegate, SessionDownloadTask.init)
        } catch {
            return fail(
                .download(URLRequest(url: URL(fileURLWithPath: "/"))), delegate, error,
                SessionDownloadTask.init)
        }
    }

    private func upload(
        _ source: TransferSource, _ progress: ProgressBlock?, _ handler: CompletionHandler?
    ) -> SessionUploadTask {
        make(
            source, SessionTaskDelegate(.object(handler), upload: progress, download: nil),
            SessionUploadTask.init)
    }

    // MARK: - Settings

    /// Makes the objects; JSON at first. AFNetworking took any serializer here, this one those for
    /// HTTP.
    public var responseSerializer: HTTPResponseSerializer {
        get { current.responseSerializer }
        set { change { $0.responseSerializer = newValue } }
    }

    /// What https servers must satisfy; the default one leaves that to libcurl. See the type for
    /// any other (LX-13).
    public var securityPolicy: SecurityPolicy {
        get { current.securityPolicy }
        set { change { $0.securityPolicy = newValue } }
    }

    /// The caller's means to watch the network; nothing starts it.
    public var reachabilityManager: NetworkReachabilityManager {
        get { current.reachabilityManager }
        set { change { $0.reachabilityManager = newValue } }
    }

    /// Where completion handlers are called; nil is the main queue.
    public var completionQueue: DispatchQueue? {
        get { current.completionQueue }
        set { change { $0.completionQueue = newValue } }
    }

    /// The group that completion handlers join; nil is one that all managers share (UM-12).
    public var completionGroup: DispatchGroup? {
        get { current.completionGroup }
        set { change { $0.completionGroup = newValue } }
    }

    /// Whether a redirect to another origin keeps `Authorization`, `Cookie` and
    /// `Proxy-Authorization`, as URLSession on Linux does by itself (LX-11); off at first.
    ///
    /// Another origin is another scheme, host or port.
    public var forwardsCredentialsToOtherOrigins: Bool {
        get { current.forwardsCredentials }
        set { change { $0.forwardsCredentials = newValue } }
    }

    /// Whether a download whose file could not be moved counts as a success with the path it never
    /// got to, as in AFNetworking 4 (UM-06.7); off at first.
    public var reportsFailedMoveAsSuccess: Bool {
        get { current.reportsFailedMoveAsSuccess }
        set { change { $0.reportsFailedMoveAsSuccess = newValue } }
    }

    var current: SessionSettings { lock.withLock { settings } }

    func change(_ change: (inout SessionSettings) -> Void) {
        let old = lock.withLock {
            let old = settings
            change(&settings)
            return old
        }
        // What is replaced goes after the lock: it is the caller's, and may ask something then.
        withExtendedLifetime(old) {}
    }

    /// Why a request must not go out, or nil; asked when a task is made, resumed or redirected.
    func refusal(of request: URLRequest) -> SessionError? {
        guard request.url?.scheme?.lowercased() == "https" else { return nil }
        let settings = current
        if let what = settings.securityPolicy.beyondDefault {
            return .securityPolicyNotHonoured(what)
        }
        return settings.blocks.sessionChallenge == nil ? nil : .challengeBlockNeverAsked
    }

    // MARK: - Copying and coding

    /// A manager with the same configuration and nothing else (UM-29).
    open func copy(with zone: NSZone? = nil) -> Any {
        Self(sessionConfiguration: slot.configuration)
    }

    /// Yes.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the settings of the configuration that an archive can hold (UM-29); see
    /// `SessionConfigurationArchive`.
    open func encode(with coder: NSCoder) {
        SessionConfigurationArchive.encode(slot.configuration, with: coder)
    }

    /// Reads what `encode` wrote.
    public required convenience init?(coder: NSCoder) {
        guard let configuration = SessionConfigurationArchive.decode(from: coder) else {
            return nil
        }
        self.init(sessionConfiguration: configuration)
    }

    // MARK: - Description

    override open var description: String {
        let address = Unmanaged.passUnretained(self).toOpaque()
        return "<\(type(of: self)): \(address), operationQueue: \(operationQueue)>"
    }
}
