public import CurlConnection
import EventRecorder
public import Foundation
public import FoundationNetworking
import Locking

/// Builds HTTP requests, runs them as operations on one queue and returns their objects.
///
/// Subclass it for a client: override `init(baseURL:)` to set serializers and header fields, a verb
/// to change one kind of request, `httpRequestOperation(with:success:failure:)` to change every
/// operation. Each operation gets the settings as they are when it is made.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the settings. Calls out on: the caller's thread (body
/// blocks), a processing queue (the response serializer), `completionQueue` or main (success,
/// failure); never under the lock.
open class HTTPRequestOperationManager: OperationManager, NSCopying, NSSecureCoding,
    CustomReflectable, @unchecked Sendable
{
    // @unchecked because its superclass is; all it adds is constant.
    private let settings: Locked<ManagerSettings>
    let offlineWatch = Locked<OfflineWatch?>(nil)

    /// Called with the operation and the object of its response.
    public typealias Success = @Sendable (HTTPRequestOperation, sending Any?) -> Void
    /// Called with the error; the operation is nil where no request could be built.
    public typealias Failure = @Sendable (HTTPRequestOperation?, any Error) -> Void

    /// The URL that relative paths are resolved against; its path ends in a slash.
    public let baseURL: URL?

    /// Makes a manager with a queue of its own.
    ///
    /// - Parameter baseURL: a slash is added to a path that does not end in one.
    public init(baseURL: URL?) {
        self.baseURL = baseURL.map(RequestPath.normalized)
        settings = Locked(ManagerSettings())
        super.init()
    }

    /// Makes a manager without a base.
    public override convenience init() {
        self.init(baseURL: nil)
    }

    // MARK: - Operations

    /// Makes the operation for a request; it is not added to the queue.
    ///
    /// Every verb calls it, so a subclass that overrides it changes every operation.
    open func httpRequestOperation(
        with request: URLRequest, success: Success?, failure: Failure?
    ) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(
            request: request, current, success: success, failure: failure)
        operation.notifyMade()
        return operation
    }

    /// Gives an operation this manager's settings for operations.
    public func configure(_ operation: HTTPRequestOperation) {
        let settings = current
        operation.responseSerializer = settings.responseSerializer
        settings.prepare(operation)
    }

    override var preparation: @Sendable (URLConnectionOperation) -> Void {
        let settings = Locked(current)
        return { operation in settings.withLock { $0 }.prepare(operation) }
    }

    override var isOverSocket: Bool { configuration.unixDomainSocketPath != nil }

    override var callbackQueue: DispatchQueue? { completionQueue }

    // MARK: - Verbs

    /// Sends a GET; the parameters go into the query.
    ///
    /// - Parameters:
    ///   - urlString: an absolute URL, or a path relative to `baseURL`; a path that begins
    ///     with a slash drops the base's own path.
    ///   - parameters: a dictionary, array or set, with any nesting.
    ///   - success: without a default, so that a call without blocks is the `async` one; may be nil.
    /// - Returns: the operation, already in the queue; nil where no request could be built, and
    ///   then `failure` is called with nil and the error.
    @discardableResult
    open func get(
        _ urlString: String, parameters: Any? = nil, success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        run("GET", urlString, parameters, success, failure)
    }

    /// Sends a HEAD; the parameters go into the query. Everything else is as for `get`.
    @discardableResult
    open func head(
        _ urlString: String, parameters: Any? = nil,
        success: (@Sendable (HTTPRequestOperation) -> Void)?, failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        run("HEAD", urlString, parameters, { operation, _ in success?(operation) }, failure)
    }

    /// Sends a POST; the parameters go into the body. Everything else is as for `get`.
    @discardableResult
    open func post(
        _ urlString: String, parameters: Any? = nil, success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        run("POST", urlString, parameters, success, failure)
    }

    /// Sends a POST with a multipart form: the parameters first, then what the block appends (MP-1
    /// to MP-8).
    ///
    /// - Parameter constructingBody: called before this returns, on the caller's thread.
    @discardableResult
    open func post(
        _ urlString: String, parameters: Any? = nil,
        constructingBody: (any MultipartFormData) -> Void, success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        withoutActuallyEscaping(constructingBody) { block in
            run(success, failure) {
                try requestSerializer.multipartFormRequest(
                    method: "POST", urlString: RequestPath.resolve(urlString, against: baseURL),
                    parameters: FormFields.named(parameters), constructingBody: block)
            }
        }
    }

    /// Sends a PUT; the parameters go into the body. Everything else is as for `get`.
    @discardableResult
    open func put(
        _ urlString: String, parameters: Any? = nil, success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        run("PUT", urlString, parameters, success, failure)
    }

    /// Sends a PATCH; the parameters go into the body. Everything else is as for `get`.
    @discardableResult
    open func patch(
        _ urlString: String, parameters: Any? = nil, success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        run("PATCH", urlString, parameters, success, failure)
    }

    /// Sends a DELETE; the parameters go into the query. Everything else is as for `get`.
    @discardableResult
    open func delete(
        _ urlString: String, parameters: Any? = nil, success: Success?,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        run("DELETE", urlString, parameters, success, failure)
    }

    private func run(
        _ method: String, _ urlString: String, _ parameters: Any?, _ success: Success?,
        _ failure: Failure?
    ) -> HTTPRequestOperation? {
        run(success, failure) {
            try requestSerializer.request(
                method: method, urlString: RequestPath.resolve(urlString, against: baseURL),
                parameters: parameters)
        }
    }

    /// Adds the operation for a request to the queue, or calls `failure` once if the request cannot be built.
    private func run(
        _ success: Success?, _ failure: Failure?, _ request: () throws -> URLRequest
    ) -> HTTPRequestOperation? {
        do {
            let operation = httpRequestOperation(
                with: try request(), success: success, failure: failure)
            enqueue(operation)
            return operation
        } catch {
            AwaitedVerb.refusal?.give(.failure(error))
            if let failure {
                current.completionTarget.deliver { failure(nil, error) }
            }
            return nil
        }
    }

    // MARK: - Settings

    /// Builds the requests.
    public var requestSerializer: HTTPRequestSerializer {
        get { current.requestSerializer }
        set { change { $0.requestSerializer = newValue } }
    }

    /// Each operation gets this same instance; JSON at first.
    public var responseSerializer: HTTPResponseSerializer {
        get { current.responseSerializer }
        set { change { $0.responseSerializer = newValue } }
    }

    /// Each operation gets it; true at first.
    public var shouldUseCredentialStorage: Bool {
        get { current.operation.shouldUseCredentialStorage }
        set { change { $0.operation.shouldUseCredentialStorage = newValue } }
    }

    /// Each operation gets it, and answers its first challenge with it.
    public var credential: URLCredential? {
        get { current.operation.credential }
        set { change { $0.operation.credential = newValue } }
    }

    /// Each operation gets this same instance.
    public var securityPolicy: SecurityPolicy {
        get { current.securityPolicy }
        set { change { $0.securityPolicy = newValue } }
    }

    /// Each operation gets it: cookies, cache, proxy and limits.
    public var configuration: URLConnectionConfiguration {
        get { current.operation.configuration }
        set { change { $0.operation.configuration = newValue } }
    }

    /// Each operation gets it: the thread that its connection runs on.
    public var networkThread: NetworkThread {
        get { current.operation.networkThread }
        set { change { $0.operation.networkThread = newValue } }
    }

    /// Each operation gets it: the run-loop modes in which its connection makes progress.
    public var runLoopModes: Set<RunLoop.Mode> {
        get { current.operation.runLoopModes }
        set { change { $0.operation.runLoopModes = newValue } }
    }

    /// Each operation gets it: seconds that the whole transfer may take even while bytes move; nil, the
    /// default, is no limit.
    public var timeoutIntervalForResource: TimeInterval? {
        get { current.operation.timeoutIntervalForResource }
        set { change { $0.operation.timeoutIntervalForResource = newValue } }
    }

    /// A caller can use it to suspend the queue while there is no network; the manager starts it only for
    /// `holdsWhileOffline`.
    public var reachabilityManager: NetworkReachabilityManager {
        get { current.reachabilityManager }
        set { change { $0.reachabilityManager = newValue } }
    }

    /// The queue of success and failure; nil is the main queue.
    public var completionQueue: DispatchQueue? {
        get { current.operation.completionQueue }
        set { change { $0.operation.completionQueue = newValue } }
    }

    /// The group that success and failure join; nil is none.
    public var completionGroup: DispatchGroup? {
        get { current.operation.completionGroup }
        set { change { $0.operation.completionGroup = newValue } }
    }

    /// Observes the requests that are made from now on; nil by default.
    ///
    /// A download makes a request for each of its connections. A copy of an operation is observed from its start on.
    public var observer: (any RequestObserver)? {
        get { current.operation.observedManager?.observer }
        set { change { $0.operation.observedManager = newValue.map(ObservedManager.init) } }
    }

    private var current: ManagerSettings { settings.withLock { $0 } }

    private func change(_ change: (inout ManagerSettings) -> Void) {
        let old = settings.withLock { settings in
            let old = settings
            change(&settings)
            return old
        }
        // Released without the lock, because its `deinit` may call the manager.
        withExtendedLifetime(old) {}
    }

    // MARK: - Copying and coding

    /// A manager with the same settings, copies of the serializers and the policy, and a queue of
    /// its own with the same limit and the same order of results.
    ///
    /// A subclass's `init(coder:)` makes it, with a coder that has no values; where that gives nil, it is a
    /// manager of this class. A subclass with more to copy overrides this.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = CopySource.copy(self) ?? HTTPRequestOperationManager(baseURL: baseURL)
        let settings = current.copied()
        copy.change { $0 = settings }
        copy.maxConcurrentOperationCount = maxConcurrentOperationCount
        copy.completesInOrder = completesInOrder
        copy.finishesAfterSerialization = finishesAfterSerialization
        return copy
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// Archives the base, the serializers, the policy, the configuration, `shouldUseCredentialStorage`,
    /// `timeoutIntervalForResource` and `maxConcurrentOperationCount`; queues, groups and the reachability
    /// manager cannot be archived.
    ///
    /// The credential is not archived. The serializer's header fields are, with their secrets.
    open func encode(with coder: NSCoder) {
        coder.encode(value: baseURL?.absoluteString, forKey: "baseURL")
        coder.encode(maxConcurrentOperationCount, forKey: "maxConcurrentOperationCount")
        current.encode(with: coder)
    }

    /// Reads what `encode` archived; nil where a serializer, the policy or the configuration is missing. The
    /// policy is no laxer than the default one (see `SecurityPolicy`).
    public required init?(coder: NSCoder) {
        if let original = CopySource.original(of: coder, as: HTTPRequestOperationManager.self) {
            baseURL = original.baseURL
            settings = Locked(ManagerSettings())
            super.init()
            return
        }
        guard let settings = ManagerSettings(coder: coder) else { return nil }
        baseURL = coder.value(String.self, forKey: "baseURL").flatMap {
            URL(string: $0, encodingInvalidCharacters: false)
        }
        self.settings = Locked(settings)
        super.init()
        if let count = coder.integer("maxConcurrentOperationCount") {
            maxConcurrentOperationCount = count
        }
    }

    // MARK: - Description

    /// Class, address, base URL without secrets, and queue.
    override open var description: String {
        let address = Unmanaged.passUnretained(self).toOpaque()
        let base = baseURL.map { Redaction.address($0.absoluteString) } ?? "nil"
        return "<\(type(of: self)): \(address), baseURL: \(base), "
            + "operationQueue: \(operationQueue)>"
    }

    /// Only the description, because settings contain secrets.
    open var customMirror: Mirror {
        Mirror(
            self, children: ["description": description], displayStyle: .class,
            ancestorRepresentation: .suppressed)
    }
}

extension HTTPRequestOperation {
    /// An operation with the manager's settings. No lock: no other thread can use the operation yet.
    fileprivate convenience init(
        request: URLRequest, _ settings: ManagerSettings, success: Success?, failure: LateFailure?
    ) {
        self.init(request: request)
        responseSerializer = settings.responseSerializer
        var settings = settings
        settings.exchange(with: &guarded)
        guarded.completion = Self.completion(success, failure)
        guarded.machine.owesResult = true
    }
}

/// Gets the error of a request that could not be built at once, for the task that called the verb: the queue of
/// `failure` may be blocked. A task-local value, since subclasses override verbs.
enum AwaitedVerb {
    @TaskLocal static var refusal: Awaited<HTTPRequestOperation>?
}
