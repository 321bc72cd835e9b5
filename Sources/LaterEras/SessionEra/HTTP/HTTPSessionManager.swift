import EventRecorder
public import Foundation
public import FoundationNetworking
import Locking
public import OperationNetworking
public import SessionTasks

/// Builds HTTP requests, runs them as tasks of one session, and returns the decoded objects.
///
/// It is AFNetworking 4's `AFHTTPSessionManager`, with the serializers of `OperationNetworking`.
/// The limits of `URLSessionManager` on Linux apply here too.
///
/// Blocks of verbs come on the main queue. A main thread that waits for one behind a semaphore waits for
/// ever: use `await`, or a `completionQueue` other than main.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the request serializer, else the superclass's. Calls out
/// on: the caller's thread (body blocks), otherwise as the superclass; never under a lock.
open class HTTPSessionManager: URLSessionManager, @unchecked Sendable {
    // @unchecked because a class that others may inherit from cannot be checked; all it has is constant.
    private let serializer = Locked(HTTPRequestSerializer())

    /// Called with the task and the object that its serializer made.
    public typealias Success = @Sendable (SessionDataTask, sending Any?) -> Void
    /// Called with the error; the task is nil where no request could be built (HM-05).
    public typealias Failure = @Sendable (SessionDataTask?, any Error) -> Void

    /// The base of relative paths; its path ends in a slash (HM-01).
    public let baseURL: URL?

    // MARK: - Making

    /// Makes a manager; its session is made when it is first needed.
    ///
    /// - Parameters:
    ///   - baseURL: a slash is added to a path that lacks one at its end (HM-01).
    ///   - sessionConfiguration: copied now; nil is the default one.
    public init(baseURL: URL?, sessionConfiguration: URLSessionConfiguration?) {
        self.baseURL = baseURL.map(RequestPath.normalized)
        super.init(sessionConfiguration: sessionConfiguration)
    }

    /// Makes a manager.
    @available(*, deprecated, message: "There is one transport.")
    public convenience init(
        baseURL: URL?, sessionConfiguration: URLSessionConfiguration? = nil,
        transport: SessionTransport
    ) {
        self.init(baseURL: baseURL, sessionConfiguration: sessionConfiguration)
    }

    /// Makes a manager with a base that takes the session and the tasks of another one (UM-03); see
    /// `init(adoptingTasksOf:)`.
    public convenience init(baseURL: URL?, adoptingTasksOf manager: URLSessionManager) {
        self.init(baseURL: baseURL, sessionConfiguration: manager.slot.configuration)
        adopt(manager)
    }

    /// Makes a manager with a base and the default configuration.
    public convenience init(baseURL: URL?) {
        self.init(baseURL: baseURL, sessionConfiguration: nil)
    }

    /// Makes a manager without a base.
    override public convenience init(sessionConfiguration: URLSessionConfiguration?) {
        self.init(baseURL: nil, sessionConfiguration: sessionConfiguration)
    }

    // MARK: - Tasks

    /// Makes the task of a method without resuming it (HM-08). Otherwise it is like `get`.
    ///
    /// Every verb but the multipart one calls it, so a subclass that overrides it changes them all.
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

    /// Builds the requests.
    public var requestSerializer: HTTPRequestSerializer {
        get { serializer.withLock { $0 } }
        set { serializer.replace(\.self, with: newValue) }
    }

    /// Sets the policy if this base can satisfy it (HM-09).
    ///
    /// `securityPolicy` accepts any policy; every task then fails with the same error.
    ///
    /// - Throws: `SessionError.pinningWithoutHTTPS` for a pinning mode without an https base.
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

    /// A manager with the same base and configuration and copies of the serializers and the policy,
    /// without the completion queue and group (HM-10).
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

    /// Writes the base, the configuration's settings, the serializers and the policy (HM-11).
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(value: baseURL?.absoluteString, forKey: "baseURL")
        coder.encode(object: requestSerializer, forKey: "requestSerializer")
        coder.encode(object: responseSerializer, forKey: "responseSerializer")
        coder.encode(object: securityPolicy, forKey: "securityPolicy")
    }

    /// Reads what `encode` wrote. It returns nil when a serializer or the policy cannot be read,
    /// because the manager would be less strict than the archived one.
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
