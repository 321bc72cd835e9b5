public import Foundation
public import FoundationNetworking
import Locking
public import SessionTasks

/// Makes requests, and retains them until they have ended.
///
/// ```swift
/// SessionManager.default.request("https://example.com/get").responseJSON { response in
///     print(response.result.value ?? "nothing")
/// }
/// ```
///
/// - Warning: a manager that is released cancels its requests, and only the program retains it.
///   The state of a task that was suspended then stays `.suspended`. One that is made in a
///   function and not stored cancels them as the function returns. Keep it in a property, or use
///   ``default``.
///
/// ## On Linux
/// `backgroundCompletionHandler` is never called, and there are no stream requests: there are no
/// background sessions and no stream tasks.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the settings. Calls out, without it, on: the thread that
/// makes a task (adapter), utility queues (multipart closures, adapter of a retry), and as `SessionDelegate`.
open class SessionManager: @unchecked Sendable {
    // @unchecked because the compiler does not accept an open class as Sendable; all it has is
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
    public static let defaultHTTPHeaders: HTTPHeaders = RequestHeaders.all

    /// 10,000,000: a form with at least so many bytes in its bodies is written to a file.
    public static let multipartFormDataEncodingMemoryThreshold: UInt64 = 10_000_000

    /// The delegate of the tasks, with the closures that replace what it does.
    public let delegate: SessionDelegate
    let taskSession: TaskSession
    private let settings = Locked(Settings())

    private struct Settings {
        var startsRequests = true
        var adapter: (any RequestAdapter)?
        var backgroundCompletionHandler: (@Sendable () -> Void)?
    }

    // MARK: - Life

    /// Makes a manager whose tasks this package carries.
    ///
    /// - Parameters:
    ///   - configuration: copied.
    ///   - delegate: its own; a delegate has one manager.
    ///   - serverTrustPolicyManager: what must be true of servers' certificates, by host.
    public init(
        configuration: URLSessionConfiguration = .default,
        delegate: SessionDelegate = SessionDelegate(),
        serverTrustPolicyManager: ServerTrustPolicyManager? = nil
    ) {
        self.delegate = delegate
        taskSession = Self.makeSession(configuration, delegate)
        delegate.join(self, serverTrustPolicyManager)
    }

    /// Makes a manager.
    @available(*, deprecated, message: "There is one transport.")
    public init(
        configuration: URLSessionConfiguration = .default,
        delegate: SessionDelegate = SessionDelegate(),
        serverTrustPolicyManager: ServerTrustPolicyManager? = nil,
        transport: SessionTransport
    ) {
        // Not a convenience, so that subclasses that call it compile.
        self.delegate = delegate
        taskSession = Self.makeSession(configuration, delegate)
        delegate.join(self, serverTrustPolicyManager)
    }

    /// Makes a manager with a session of the program's.
    ///
    /// Its tasks run as those of any manager, with the session's configuration; ``session`` is the
    /// program's.
    ///
    /// - Returns: nil unless the session's delegate is `delegate` (AL-02).
    public init?(
        session: URLSession, delegate: SessionDelegate,
        serverTrustPolicyManager: ServerTrustPolicyManager? = nil
    ) {
        guard delegate === session.delegate else { return nil }
        self.delegate = delegate
        taskSession = Self.makeSession(session.configuration, delegate, showing: session)
        delegate.join(self, serverTrustPolicyManager)
    }

    /// Like `init(session:delegate:serverTrustPolicyManager:)`; the transport is ignored.
    @available(*, deprecated, message: "There is one transport.")
    public init?(
        session: URLSession, delegate: SessionDelegate,
        serverTrustPolicyManager: ServerTrustPolicyManager? = nil,
        transport: SessionTransport
    ) {
        guard delegate === session.delegate else { return nil }
        self.delegate = delegate
        taskSession = Self.makeSession(session.configuration, delegate, showing: session)
        delegate.join(self, serverTrustPolicyManager)
    }

    private static func makeSession(
        _ configuration: URLSessionConfiguration, _ delegate: SessionDelegate,
        showing foundationSession: URLSession? = nil
    ) -> TaskSession {
        TaskSession(
            configuration: configuration, delegate: delegate,
            delegateQueue: .serial(named: "org.alamofire.session-manager"),
            showing: foundationSession)
    }

    deinit {
        // As in the original, the state of a suspended task stays `suspended` after this.
        for task in taskSession.tasks { task.staySuspended() }
        taskSession.invalidateAndCancel()
        delegate.cancelAll()
    }

    // MARK: - Settings

    /// Foundation's session. No task runs in it: it lists the manager's tasks in `getAllTasks`, has
    /// ``delegate``, and invalidating it invalidates the manager's own. A session that the program
    /// gave the manager lists none.
    public var session: URLSession { taskSession.urlSession }

    /// What carries the tasks.
    @available(*, deprecated, message: "There is one transport.")
    public var transport: SessionTransport { .connection }

    /// Whether requests are resumed as they are made; true by default.
    open var startRequestsImmediately: Bool {
        get { settings.withLock { $0.startsRequests } }
        set { settings.withLock { $0.startsRequests = newValue } }
    }

    /// Changes requests before their tasks are made.
    open var adapter: (any RequestAdapter)? {
        get { settings.withLock { $0.adapter } }
        set { settings.replace(\.adapter, with: newValue) }
    }

    /// Decides whether a request that failed is tried again.
    open var retrier: (any RequestRetrier)? {
        get { delegate.retrier }
        set { delegate.retrier = newValue }
    }

    /// Never called: there are no background sessions on Linux.
    @preconcurrency
    open var backgroundCompletionHandler: (@Sendable () -> Void)? {
        get { settings.withLock { $0.backgroundCompletionHandler } }
        set { settings.replace(\.backgroundCompletionHandler, with: newValue) }
    }

    // MARK: - Requests

    // A subclass may override each. The ones that take parts make a request of them and call the one
    // that takes a request.

    /// Makes a data request of its parts.
    ///
    /// A URL or parameters that cannot be encoded still give a request, whose handlers get the error
    /// (AL-04).
    @discardableResult
    open func request(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil
    ) -> DataRequest {
        var plain: URLRequest?
        do {
            let made = try URLRequest(url: url, method: method, headers: headers)
            plain = made
            return request(try encoding.encode(made, with: parameters))
        } catch {
            return fail(error, plain, DataRequest.init)
        }
    }

    /// Makes a data request.
    @discardableResult
    open func request(_ urlRequest: any URLRequestConvertible) -> DataRequest {
        do {
            return start(.data(try urlRequest.asURLRequest()), DataRequest.init)
        } catch {
            return fail(error) { DataRequest($0) }
        }
    }

    /// Makes a download of its parts.
    ///
    /// - Parameter destination: says where the file is moved to; nil leaves it in the temporary folder,
    ///   as `temporaryURL` of the response: the program moves or removes it.
    @preconcurrency
    @discardableResult
    open func download(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
        to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        do {
            let plain = try URLRequest(url: url, method: method, headers: headers)
            return download(try encoding.encode(plain, with: parameters), to: destination)
        } catch {
            return fail(error) { DownloadRequest($0, destination) }
        }
    }

    /// Makes a download.
    @preconcurrency
    @discardableResult
    open func download(
        _ urlRequest: any URLRequestConvertible,
        to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        do {
            return start(.download(try urlRequest.asURLRequest())) {
                DownloadRequest($0, destination)
            }
        } catch {
            return fail(error) { DownloadRequest($0, destination) }
        }
    }

    /// Continues a download.
    ///
    /// The adapter is not asked, so a token that it adds is the one of the download before.
    /// A retry continues what has come since. Where that is nothing, it begins again, and the
    /// adapter is asked.
    ///
    /// - Parameter resumeData: of `DownloadRequest.resumeData` or of a response.
    @preconcurrency
    @discardableResult
    open func download(
        resumingWith resumeData: Data,
        to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        start(.resumedDownload(resumeData)) { DownloadRequest($0, destination) }
    }

    // MARK: Uploads; a body of the request itself is not sent

    /// Makes an upload of a file.
    @discardableResult
    open func upload(
        _ fileURL: URL, to url: any URLConvertible, method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        upload(to: url, method, headers) { upload(fileURL, with: $0) }
    }

    /// Makes an upload of a file.
    @discardableResult
    open func upload(_ fileURL: URL, with urlRequest: any URLRequestConvertible) -> UploadRequest {
        upload(urlRequest) { .uploadFile(fileURL, $0) }
    }

    /// Makes an upload of bytes.
    @discardableResult
    open func upload(
        _ data: Data, to url: any URLConvertible, method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        upload(to: url, method, headers) { upload(data, with: $0) }
    }

    /// Makes an upload of bytes.
    @discardableResult
    open func upload(_ data: Data, with urlRequest: any URLRequestConvertible) -> UploadRequest {
        upload(urlRequest) { .uploadData(data, $0) }
    }

    /// Makes an upload of a stream, which is read once.
    @discardableResult
    open func upload(
        _ stream: InputStream, to url: any URLConvertible, method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil
    ) -> UploadRequest {
        upload(to: url, method, headers) { upload(stream, with: $0) }
    }

    /// Makes an upload of a stream, which is read once.
    @discardableResult
    open func upload(
        _ stream: InputStream, with urlRequest: any URLRequestConvertible
    ) -> UploadRequest {
        let body = BodyOnce(stream)
        return upload(urlRequest) { .uploadStream(body, $0) }
    }

    /// Encodes a form and uploads it.
    ///
    /// - Parameters:
    ///   - multipartFormData: appends the parts; called on a utility queue. An invalid URL is
    ///     reported without calling it.
    ///   - encodingMemoryThreshold: a form with at least so many bytes in its bodies is written to a
    ///     file in a folder of its own in the temporary folder, and sent from there. Both are removed at the end.
    ///   - queue: where `encodingCompletion` is called; main if nil.
    ///   - encodingCompletion: called once, with the request or why there is none: also with what the
    ///     adapter throws, where no retrier could change that.
    @preconcurrency
    open func upload(
        multipartFormData: @escaping @Sendable (MultipartFormData) -> Void,
        usingThreshold encodingMemoryThreshold: UInt64 =
            SessionManager.multipartFormDataEncodingMemoryThreshold,
        to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        queue: DispatchQueue? = nil,
        encodingCompletion: (@Sendable (MultipartFormDataEncodingResult) -> Void)?
    ) {
        do {
            let urlRequest = try URLRequest(url: url, method: method, headers: headers)
            upload(
                multipartFormData: multipartFormData, usingThreshold: encodingMemoryThreshold,
                with: urlRequest, queue: queue, encodingCompletion: encodingCompletion)
        } catch {
            Self.report(.failure(error), on: queue, encodingCompletion)
        }
    }

    /// Uploads a multipart form with a request, in place of a URL, a method and header fields.
    @preconcurrency
    open func upload(
        multipartFormData: @escaping @Sendable (MultipartFormData) -> Void,
        usingThreshold encodingMemoryThreshold: UInt64 =
            SessionManager.multipartFormDataEncodingMemoryThreshold,
        with urlRequest: any URLRequestConvertible, queue: DispatchQueue? = nil,
        encodingCompletion: (@Sendable (MultipartFormDataEncodingResult) -> Void)?
    ) {
        uploadForm(
            multipartFormData, encodingMemoryThreshold, urlRequest, queue, encodingCompletion)
    }
}
