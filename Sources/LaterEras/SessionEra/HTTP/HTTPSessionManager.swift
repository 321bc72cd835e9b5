import EventRecorder
public import Foundation
public import FoundationNetworking
import Locking
public import OperationNetworking
public import SessionTasks

/// Makes HTTP requests, runs them as tasks of one session, and returns the objects that serializers make of the responses.
///
/// It is AFNetworking 4's `AFHTTPSessionManager`, with the serializers of `OperationNetworking`. What
/// `URLSessionManager` says about differences on Linux applies here too.
///
/// The blocks of `get`, `post` and so on are called on the main queue. If the main thread waits for such a block with a
/// semaphore, neither continues: use `await`, or set another `completionQueue`.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the request serializer, and that of the superclass. Calls out on: the calling
/// thread (blocks that add parts to a body), otherwise as the superclass; never under a lock.
open class HTTPSessionManager: URLSessionManager, @unchecked Sendable {
    // @unchecked because the compiler does not accept an open class as Sendable. All stored properties are constant.
    private let serializer = Locked(HTTPRequestSerializer())

    /// Called with the task and the object that the serializer has made of its response.
    public typealias Success = @Sendable (SessionDataTask, sending Any?) -> Void
    /// Called with the task and the error. The task is nil if the request could not be made.
    public typealias Failure = @Sendable (SessionDataTask?, any Error) -> Void

    /// The URL that relative ones are appended to; its path ends in a slash.
    public let baseURL: URL?

    // MARK: - Making

    /// Makes a manager. Its session is made when it is first needed.
    ///
    /// - Parameters:
    ///   - baseURL: a slash is added to its path if that does not end in one.
    ///   - sessionConfiguration: copied by this call; nil means the default configuration.
    public init(baseURL: URL?, sessionConfiguration: URLSessionConfiguration?) {
        self.baseURL = baseURL.map(RequestPath.normalized)
        super.init(sessionConfiguration: sessionConfiguration)
    }

    /// Like `init(baseURL:sessionConfiguration:)`; the transport is ignored.
    @available(*, deprecated, message: "There is one transport.")
    public convenience init(
        baseURL: URL?, sessionConfiguration: URLSessionConfiguration? = nil,
        transport: SessionTransport
    ) {
        self.init(baseURL: baseURL, sessionConfiguration: sessionConfiguration)
    }

    /// Makes a manager that takes over the session and the tasks of another one, as `init(adoptingTasksOf:)` does.
    public convenience init(baseURL: URL?, adoptingTasksOf manager: URLSessionManager) {
        self.init(baseURL: baseURL, sessionConfiguration: manager.slot.configuration)
        adopt(manager)
    }

    /// Makes a manager with the default configuration.
    public convenience init(baseURL: URL?) {
        self.init(baseURL: baseURL, sessionConfiguration: nil)
    }

    /// Makes a manager without a base URL.
    override public convenience init(sessionConfiguration: URLSessionConfiguration?) {
        self.init(baseURL: nil, sessionConfiguration: sessionConfiguration)
    }

    // MARK: - Tasks

    /// Makes a task for any HTTP method, and does not resume it. Otherwise it is like `get`.
    ///
    /// `get`, `post` and so on call this method, so a subclass can override it for all of them. The exception is `post` with
    /// a multipart form.
    @_disfavoredOverload
    open func dataTask(
        withHTTPMethod method: String, urlString: String, parameters: Any? = nil,
        headers: [String: String]? = nil, uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> SessionDataTask? {
        request(headers, failure) {
            try requestSerializer.request(
                method: method, urlString: RequestPath.resolve(urlString, against: baseURL),
                parameters: parameters)
        }.map { request in
            linked(success, failure) {
                dataTask(
                    with: request, uploadProgress: uploadProgress,
                    downloadProgress: downloadProgress, completionHandler: $0)
            }
        }
    }

    // MARK: - Settings

    /// Makes the requests.
    public var requestSerializer: HTTPRequestSerializer {
        get { serializer.withLock { $0 } }
        set { serializer.replace(\.self, with: newValue) }
    }

    /// Sets `securityPolicy`, unless the policy pins and the base URL is not https.
    ///
    /// Setting the property `securityPolicy` to such a policy is possible, but then every task fails with the same error.
    ///
    /// - Throws: `SessionError.pinningWithoutHTTPS` if the policy pins and the base URL is not https.
    public func setSecurityPolicy(_ policy: SecurityPolicy) throws(SessionError) {
        if pinsWithoutHTTPS(policy) { throw .pinningWithoutHTTPS }
        securityPolicy = policy
    }

    private func pinsWithoutHTTPS(_ policy: SecurityPolicy) -> Bool {
        policy.pinningMode != .none && baseURL?.scheme?.lowercased() != "https"
    }

    override func refusal(of request: URLRequest) -> SessionError? {
        pinsWithoutHTTPS(securityPolicy) ? .pinningWithoutHTTPS : super.refusal(of: request)
    }

    // MARK: - Copying and coding

    /// Returns a manager with the same base URL and configuration, and with copies of the serializers and the policy.
    /// Completion queue and group are not copied.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy =
            CopySource.copy(self)
            ?? HTTPSessionManager(baseURL: baseURL, sessionConfiguration: slot.configuration)
        copySettings(to: copy)
        copy.requestSerializer =
            requestSerializer.copy() as? HTTPRequestSerializer ?? requestSerializer
        copy.responseSerializer =
            responseSerializer.copy() as? HTTPResponseSerializer ?? responseSerializer
        copy.securityPolicy = securityPolicy.copy() as? SecurityPolicy ?? securityPolicy
        return copy
    }

    /// Encodes the base URL, the settings of the configuration, the serializers and the policy.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(value: baseURL?.absoluteString, forKey: "baseURL")
        coder.encode(object: requestSerializer, forKey: "requestSerializer")
        coder.encode(object: responseSerializer, forKey: "responseSerializer")
        coder.encode(object: securityPolicy, forKey: "securityPolicy")
    }

    /// Decodes what `encode(with:)` has encoded. Returns nil if a serializer or the policy cannot be decoded, because a
    /// manager with defaults could accept what the archived one refuses.
    public required init?(coder: NSCoder) {
        if let original = CopySource.original(of: coder, as: HTTPSessionManager.self) {
            baseURL = original.baseURL
            super.init(coder: coder)
            return
        }
        guard let requests = coder.object(HTTPRequestSerializer.self, forKey: "requestSerializer"),
            let responses = coder.object(
                HTTPResponseSerializer.self, forKey: "responseSerializer"),
            let policy = coder.object(SecurityPolicy.self, forKey: "securityPolicy")
        else { return nil }
        baseURL = coder.value(String.self, forKey: "baseURL").flatMap {
            URL(string: $0, encodingInvalidCharacters: false)
        }
        super.init(coder: coder)
        requestSerializer = requests
        responseSerializer = responses
        securityPolicy = policy
    }

    // MARK: - Description

    override open var description: String {
        let address = Unmanaged.passUnretained(self).toOpaque()
        let base = baseURL.map { Redaction.address($0.absoluteString) } ?? "nil"
        return "<\(type(of: self)): \(address), baseURL: \(base), "
            + "operationQueue: \(operationQueue)>"
    }
}
