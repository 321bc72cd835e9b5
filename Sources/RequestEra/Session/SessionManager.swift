public import CurlConnection
import EventRecorder
public import Foundation
public import FoundationNetworking
public import HTTPSemantics
import Locking
public import SessionTasks

/// Makes requests, and keeps them until they have ended.
///
/// ```swift
/// SessionManager.default.request("https://example.com/get").responseJSON { response in
///     print(response.result.value ?? "nothing")
/// }
/// ```
///
/// - Warning: a manager that goes cancels its requests, and nothing but the program keeps it (AL-03).
///   One that is made in a function and not stored cancels them as the function returns. Keep it in
///   a property, or use ``default``.
///
/// ## On Linux
/// `backgroundCompletionHandler` is never called, and there are no stream requests: there are no
/// background sessions and no stream tasks.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the settings. Calls out, without it, on: the thread that
/// makes a task (adapter), utility queues (multipart closures), and as `SessionDelegate`.
open class SessionManager: @unchecked Sendable {
    // @unchecked because a class that others may inherit from cannot be checked; all it has is
    // constant or guards itself.

    /// What became of a multipart form.
    public enum MultipartFormDataEncodingResult: Sendable {
        /// The form is sent: from memory, or from a file that is removed after the end.
        case success(request: UploadRequest, streamingFromDisk: Bool, streamFileURL: URL?)
        /// The form could not be encoded, or there is no request for it.
        case failure(any Error)
    }

    // MARK: Set once

    /// The manager of the free functions; its configuration has ``defaultHTTPHeaders``.
    public static let `default`: SessionManager = {
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = SessionManager.defaultHTTPHeaders
        return SessionManager(configuration: configuration)
    }()

    /// `Accept-Encoding`, `Accept-Language` and `User-Agent` (AL-01). A session whose configuration
    /// does not have them sends none of them.
    public static let defaultHTTPHeaders: HTTPHeaders = DefaultHeaders.all

    /// The most bytes of a form's bodies that are encoded in memory, less one: 10,000,000 (AL-28).
    public static let multipartFormDataEncodingMemoryThreshold: UInt64 = 10_000_000

    /// The delegate of the tasks, with the closures that replace what it does.
    public let delegate: SessionDelegate
    let taskSession: TaskSession
    private let givenSession: URLSession?
    private let settings = Locked(Settings())

    private struct Settings {
        var startsRequests = true
        var adapter: (any RequestAdapter)?
        var backgroundCompletionHandler: (@Sendable () -> Void)?
    }

    // MARK: - Life

    /// Makes a manager.
    ///
    /// - Parameters:
    ///   - configuration: copied.
    ///   - delegate: its own; a delegate has one manager.
    ///   - serverTrustPolicyManager: what must be true of servers' certificates, by host.
    ///   - transport: what carries the tasks.
    public init(
        configuration: URLSessionConfiguration = .default,
        delegate: SessionDelegate = SessionDelegate(),
        serverTrustPolicyManager: ServerTrustPolicyManager? = nil,
        transport: SessionTransport = .connection
    ) {
        self.delegate = delegate
        givenSession = nil
        taskSession = Self.makeSession(configuration, delegate, transport)
        delegate.join(self, serverTrustPolicyManager)
    }

    /// Makes a manager that shows a session of the program's.
    ///
    /// Its tasks run as those of any manager, with the session's configuration; ``session`` is the
    /// one that was given.
    ///
    /// - Returns: nil unless the session's delegate is `delegate` (AL-02).
    public init?(
        session: URLSession, delegate: SessionDelegate,
        serverTrustPolicyManager: ServerTrustPolicyManager? = nil,
        transport: SessionTransport = .connection
    ) {
        guard delegate === session.delegate else { return nil }
        self.delegate = delegate
        givenSession = session
        taskSession = Self.makeSession(session.configuration, delegate, transport)
        delegate.join(self, serverTrustPolicyManager)
    }

    private static func makeSession(
        _ configuration: URLSessionConfiguration, _ delegate: SessionDelegate,
        _ transport: SessionTransport
    ) -> TaskSession {
        let queue = OperationQueue()
        queue.name = "org.alamofire.session-manager"
        queue.maxConcurrentOperationCount = 1
        return TaskSession(
            configuration: configuration, connection: nil, transport: transport,
            delegate: delegate, delegateQueue: queue)
    }

    deinit {
        taskSession.invalidateAndCancel()
        delegate.managerGoes()
    }

    // MARK: - Settings

    /// Foundation's session. With `SessionTransport.foundation` the tasks run in it; with
    /// `.connection` none does, and invalidating it invalidates the manager's tasks.
    public var session: URLSession { givenSession ?? taskSession.urlSession }

    /// What carries the tasks.
    public var transport: SessionTransport { taskSession.transport }

    /// Whether requests are resumed as they are made; true by default (AL-05).
    open var startRequestsImmediately: Bool {
        get { settings.withLock { $0.startsRequests } }
        set { settings.withLock { $0.startsRequests = newValue } }
    }

    /// Changes requests before their tasks are made.
    open var adapter: (any RequestAdapter)? {
        get { settings.withLock { $0.adapter } }
        set { change(\.adapter, newValue) }
    }

    /// Decides whether a request that failed is tried again.
    open var retrier: (any RequestRetrier)? {
        get { delegate.retrier }
        set { delegate.retrier = newValue }
    }

    /// What delays before another try go by, and with `SessionTransport.connection` limits, ages of stored
    /// answers and cookies; the system's by default. It counts for tasks that begin later.
    public var clock: NetworkClock {
        get { taskSession.clock }
        set { taskSession.clock = newValue }
    }

    /// When a request is sent again inside its task, before validations and the `retrier` are called; nil,
    /// the default: never. Only `SessionTransport.connection` does so. It counts for tasks that begin later;
    /// `metrics.retryDecisions` says what was decided.
    public var retryPolicy: RetryPolicy? {
        get { taskSession.retryPolicy }
        set { taskSession.retryPolicy = newValue }
    }

    /// What each connection of `SessionTransport.connection` is set up with; it counts for tasks that begin later.
    ///
    /// Nil, at first, follows the session's configuration, as `URLSessionManager.connectionConfiguration` of
    /// `SessionEra` does. Set it before `clock`, `retryPolicy` and `loadsLocalAddresses`: it has its own.
    public var connectionConfiguration: URLConnectionConfiguration? {
        get { taskSession.connectionConfiguration }
        set { taskSession.connectionConfiguration = newValue }
    }

    /// Whether `file:` and `data:` addresses are loaded; false by default. Set it only where the program itself
    /// chooses the addresses; see `URLConnectionConfiguration.loadsLocalAddresses`. Only `SessionTransport.connection`
    /// goes by it. `response` is nil then, since it is no HTTP response.
    public var loadsLocalAddresses: Bool {
        get { taskSession.loadsLocalAddresses }
        set { taskSession.loadsLocalAddresses = newValue }
    }

    /// Never called: there are no background sessions on Linux.
    @preconcurrency
    open var backgroundCompletionHandler: (@Sendable () -> Void)? {
        get { settings.withLock { $0.backgroundCompletionHandler } }
        set { change(\.backgroundCompletionHandler, newValue) }
    }

    private func change<Value>(_ path: WritableKeyPath<Settings, Value>, _ value: Value) {
        let old = settings.withLock { settings in
            defer { settings[keyPath: path] = value }
            return settings[keyPath: path]
        }
        withExtendedLifetime(old) {}
    }

    // MARK: - Tasks

    /// A suspended task for a request's next attempt.
    ///
    /// - Throws: what the adapter throws, as it is (AL-13).
    func makeTask(_ source: RequestSource, for number: UInt64) throws -> SessionTask {
        let adapter = adapter
        return try source.makeTask(in: taskSession, givesStreams: delegate.givesStreams) {
            request in
            guard let adapter else { return request }
            return try EventRecorder.span(.callback, subject: number, text: Text.adapter) {
                try adapter.adapt(request)
            }
        }
    }

    /// Makes a request, enters it, and resumes it if requests are resumed, or as `isResumed` says.
    ///
    /// Without a task its handlers get the error; where the adapter threw it, the retrier is asked
    /// first (AL-14).
    func start<Made: Request>(
        _ source: RequestSource, isResumed: Bool? = nil, _ make: (RequestParts) -> Made
    ) -> Made {
        let number = EventRecorder.nextNumber()
        let first = Swift.Result { try makeTask(source, for: number) }
        EventRecorder.begin(.request, subject: number, text: source.recordedText)
        let request = make(parts(source, first, number))
        delegate.enter(request)
        if case .failure(let error) = first, let retrier,
            let question = request.state.withLock({ $0.ask() })
        {
            // It is asked already: a `resume()` that comes first waits for the answer.
            let block = QueuedBlock(for: Text.utilityQueue) { [weak self, delegate] in
                guard let self else { return }
                delegate.put(question, to: retrier, of: self, about: request, error)
            }
            DispatchQueue.global(qos: .utility).async(execute: block.run)
        } else if isResumed ?? startRequestsImmediately {
            request.resume()
        }
        return request
    }

    /// A request that has no task and is not tried again; its handlers get the error (AL-04).
    func fail<Made: Request>(
        _ error: any Error, _ urlRequest: URLRequest? = nil, _ make: (RequestParts) -> Made
    ) -> Made {
        let number = EventRecorder.nextNumber()
        EventRecorder.begin(
            .request, subject: number,
            text: EventText(method: urlRequest?.httpMethod, url: urlRequest?.url))
        let request = make(
            parts(urlRequest.map(RequestSource.data), .failure(error), number))
        delegate.enter(request)
        if startRequestsImmediately { request.resume() }
        return request
    }

    private func parts(
        _ source: RequestSource?, _ first: Swift.Result<SessionTask, any Error>, _ number: UInt64
    ) -> RequestParts {
        RequestParts(
            session: taskSession, home: delegate, source: source, first: first, number: number)
    }
}
