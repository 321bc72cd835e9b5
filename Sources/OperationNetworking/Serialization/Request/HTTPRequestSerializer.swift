import EventRecorder
public import Foundation
public import FoundationNetworking

/// Makes requests: default headers, and parameters as a query or as a form body.
///
/// Parameters may be dictionaries, arrays, sets, text, numbers, `Bool` (1 or 0), dates, `NSNull`
/// and `nil` (the key alone), of Swift or of Foundation. Keys and the members of sets are written
/// in the order of their text, arrays as they are; `["a": ["b": 1], "c": [2]]` gives
/// `a%5Bb%5D=1&c%5B%5D=2` (QS-1 to QS-11).
///
/// A built request sees one state of the serializer: its headers and properties are those of one
/// moment, whatever other threads set meanwhile.
///
/// To do more, override ``request(bySerializing:with:)``, which every other method ends in.
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`, not recursive. Calls out on: the caller's thread, without
/// the lock (the query block).
open class HTTPRequestSerializer: NSObject, URLRequestSerialization, NSCopying, NSSecureCoding,
    CustomReflectable, @unchecked Sendable
{
    // @unchecked because `settings` is only touched under the lock.
    private let lock = NSLock()

    // MARK: Guarded by lock

    private var settings: RequestSettings

    /// A serializer with `Accept-Language`, `User-Agent`, UTF-8, and parameters in the URL of GET,
    /// HEAD and DELETE.
    public required override init() {
        settings = RequestSettings()
        super.init()
    }

    // MARK: Properties

    /// The charset of queries and form bodies; UTF-8 at first.
    ///
    /// Text that the charset lacks makes an error of the request (wound 60).
    public var stringEncoding: String.Encoding {
        get { current.stringEncoding }
        set { update { $0.stringEncoding = newValue } }
    }

    /// Whether requests may use a mobile network. False until set; a request gets it once set
    /// (RQ-3).
    public var allowsCellularAccess: Bool {
        get { current.allowsCellularAccess ?? false }
        set { update { $0.allowsCellularAccess = newValue } }
    }

    /// The cache policy of requests. A request gets it once set (RQ-3).
    public var cachePolicy: URLRequest.CachePolicy {
        get { current.cachePolicy ?? .useProtocolCachePolicy }
        set { update { $0.cachePolicy = newValue } }
    }

    /// Whether requests handle cookies. False until set; a request gets it once set (RQ-3).
    public var httpShouldHandleCookies: Bool {
        get { current.handlesCookies ?? false }
        set { update { $0.handlesCookies = newValue } }
    }

    /// Whether requests may be sent before the answer to the one before. A request gets it once
    /// set (RQ-3).
    public var httpShouldUsePipelining: Bool {
        get { current.usesPipelining ?? false }
        set { update { $0.usesPipelining = newValue } }
    }

    /// What requests are for. A request gets it once set (RQ-3).
    public var networkServiceType: URLRequest.NetworkServiceType {
        get { current.networkServiceType ?? .default }
        set { update { $0.networkServiceType = newValue } }
    }

    /// Seconds without progress until a request fails. Zero until set; a request gets it once set
    /// (RQ-3), and has 60 before.
    public var timeoutInterval: TimeInterval {
        get { current.timeoutInterval ?? 0 }
        set { update { $0.timeoutInterval = newValue } }
    }

    /// The headers that each request gets unless it has them already: a snapshot.
    public var httpRequestHeaders: [String: String] { current.headers }

    /// The methods, in upper case, whose parameters go into the URL; `GET`, `HEAD` and `DELETE` at
    /// first. A request's method is looked up in upper case (RQ-8).
    public var httpMethodsEncodingParametersInURI: Set<String> {
        get { current.methodsInURI }
        set { update { $0.methodsInURI = newValue } }
    }

    // MARK: Headers

    /// Sets a default header; nil takes it away.
    ///
    /// Names are compared without case (RFC 9110, section 5.1).
    public func setValue(_ value: String?, forHTTPHeaderField field: String) {
        update { $0.setHeader(field, to: value) }
    }

    /// Sets several default headers at once; nil takes one away.
    ///
    /// A request that is built on another thread meanwhile has all of the old values or all of the
    /// new ones.
    public func setHTTPHeaderFields(_ fields: [String: String?]) {
        update { settings in
            for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
                settings.setHeader(field, to: value)
            }
        }
    }

    /// A default header's value, or nil.
    public func value(forHTTPHeaderField field: String) -> String? {
        current.header(field)
    }

    /// Sets `Authorization` to Basic credentials: base64 of `username:password` in UTF-8
    /// (RFC 7617).
    public func setAuthorizationHeaderField(username: String, password: String) {
        let credentials = Data("\(username):\(password)".utf8).base64EncodedString()
        setValue("Basic \(credentials)", forHTTPHeaderField: "Authorization")
    }

    /// Takes the `Authorization` header away.
    public func clearAuthorizationHeader() {
        setValue(nil, forHTTPHeaderField: "Authorization")
    }

    // MARK: Query

    /// Replaces the way in which parameters become text; nil brings the default back.
    ///
    /// The text is used as it is, in URLs and in form bodies. An error of the block, or a text that
    /// makes the URL invalid, is the error of the request (wound 41).
    public func setQueryStringSerialization(
        _ block: (@Sendable (_ request: URLRequest, _ parameters: Any) throws -> String)?
    ) {
        update { $0.queryBlock = block }
    }

    /// The same with a block that may give nil: then the request is made as if without parameters.
    /// The old names allow it.
    package func setOptionalQueryStringSerialization(
        _ block: (@Sendable (_ request: URLRequest, _ parameters: Any) throws -> String?)?
    ) {
        update { $0.queryBlock = block }
    }

    // MARK: Requests

    /// A request with the serializer's headers, its properties, and parameters.
    ///
    /// - Parameters:
    ///   - method: Sent as given.
    ///   - urlString: A URL, or what the caller resolves against a base.
    ///   - parameters: Nil for none. A method whose parameters go into the body gets a body and its
    ///     type even without (RQ-9); empty parameters leave a bare `?` on a URL (RQ-8).
    /// - Throws: ``RequestSerializationError``, or the error of the query block.
    open func request(method: String, urlString: String, parameters: Any?) throws -> URLRequest {
        var request = URLRequest(url: try RequestURL.url(urlString))
        // Setting it compares it with every method there is.
        if method != "GET" { request.httpMethod = method }
        let settings = current
        settings.applyProperties(to: &request)
        if parameters == nil, type(of: self) == HTTPRequestSerializer.self {
            // Nobody is asked, so nobody needs to see these settings.
            return try settings.withQueryOrForm(consume request, nil)
        }
        return try SettingsInUse.$current.withValue(SettingsInUse(settings, of: self)) {
            try self.request(bySerializing: request, with: parameters)
        }
    }

    /// A request with a `multipart/form-data` body that is read while it is sent (MP-1 to MP-17).
    ///
    /// - Parameters:
    ///   - method: Any but GET and HEAD.
    ///   - urlString: As for ``request(method:urlString:parameters:)``.
    ///   - parameters: One part for each pair, before those of the block.
    ///   - constructingBody: Appends parts; called at once, on the caller's thread.
    /// - Throws: ``RequestSerializationError``; ``MultipartError`` for GET and HEAD, a refused
    ///   part, or a parameter that `stringEncoding` cannot say.
    open func multipartFormRequest(
        method: String, urlString: String, parameters: [String: Any]?,
        constructingBody: ((any MultipartFormData) -> Void)?
    ) throws -> URLRequest {
        try MultipartRequest.make(
            self, method: method, urlString: urlString, parameters: parameters,
            constructingBody: constructingBody)
    }

    /// Writes the body of a multipart request to a file, in the background.
    ///
    /// - Parameters:
    ///   - request: One made by
    ///     ``multipartFormRequest(method:urlString:parameters:constructingBody:)``.
    ///   - fileURL: Where the body goes.
    ///   - completionHandler: Called once, on the main queue, with the error if there was one.
    /// - Returns: The request without its body.
    open func request(
        withMultipartFormRequest request: URLRequest, writingStreamContentsToFile fileURL: URL,
        completionHandler: (@Sendable ((any Error)?) -> Void)?
    ) -> URLRequest {
        MultipartSpool.request(
            from: request, writingTo: fileURL, completionHandler: completionHandler)
    }

    /// The request with default headers and parameters; what a subclass overrides.
    open func request(
        bySerializing request: URLRequest, with parameters: Any?
    ) throws -> URLRequest {
        try current.withQueryOrForm(request, parameters)
    }

    // MARK: Copying and archiving

    /// A copy of the same class with every property and the query block.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = type(of: self).init()
        let settings = current
        copy.update { $0 = settings }
        return copy
    }

    /// Yes.
    open class var supportsSecureCoding: Bool { true }

    /// A serializer from an archive; nil with fields that cannot be read. A query block does not come back.
    public required init?(coder: NSCoder) {
        guard let settings = RequestSettings(coder: coder) else { return nil }
        self.settings = settings
        super.init()
    }

    /// Archives every property, but not the query block.
    open func encode(with coder: NSCoder) {
        current.encode(with: coder)
    }

    // MARK: Description

    /// The header fields without secrets, the encoding and the methods.
    open var customMirror: Mirror {
        let settings = current
        let fields = settings.headers.sorted { $0.key < $1.key }
            .map { (name: $0.key, value: $0.value) }
        return Mirror(
            self,
            children: [
                "httpRequestHeaders": Redaction.fields(fields).map { "\($0.name): \($0.value)" },
                "stringEncoding": settings.stringEncoding,
                "httpMethodsEncodingParametersInURI": settings.methodsInURI.sorted(),
            ], displayStyle: .class, ancestorRepresentation: .suppressed)
    }

    // MARK: Snapshot

    /// What the caller sees: the state now or, within a request being built, that of its start.
    var current: RequestSettings {
        let inUse = SettingsInUse.of(self)
        return lock.withLock { inUse?.settings ?? settings }
    }

    /// A change made while a request is built, by an override, is seen by that request too.
    func update(_ change: (inout RequestSettings) -> Void) {
        let inUse = SettingsInUse.of(self)
        lock.withLock {
            change(&settings)
            if let inUse { change(&inUse.settings) }
        }
    }
}

/// The state that a request being built on this thread keeps to, through every override.
private final class SettingsInUse: @unchecked Sendable {
    // @unchecked because `settings` is only touched under the owner's lock.
    @TaskLocal static var current: SettingsInUse?

    var settings: RequestSettings
    private let owner: ObjectIdentifier

    init(_ settings: RequestSettings, of owner: HTTPRequestSerializer) {
        self.settings = settings
        self.owner = ObjectIdentifier(owner)
    }

    static func of(_ serializer: HTTPRequestSerializer) -> SettingsInUse? {
        current.flatMap { $0.owner == ObjectIdentifier(serializer) ? $0 : nil }
    }
}
