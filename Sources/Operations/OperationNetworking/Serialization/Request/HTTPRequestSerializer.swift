import EventRecorder
public import Foundation
public import FoundationNetworking
import Locking

/// Makes requests with default header fields, and with parameters as a query or a form body.
///
/// Parameters may be dictionaries, arrays, sets, text, numbers, `Bool` (1 or 0), dates, `NSNull` and `nil` (the key
/// alone), of Swift or of Foundation. Keys and members of sets are sorted by their text, arrays keep their order:
/// `["a": ["b": 1], "c": [2]]` becomes `a%5Bb%5D=1&c%5B%5D=2`.
///
/// A request uses one snapshot of the settings, whatever other threads set meanwhile.
///
/// To change requests, override ``request(bySerializing:with:)``, with which the others make each request.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the settings. Calls out on: the caller's thread, without the lock (the
/// query block).
open class HTTPRequestSerializer: NSObject, URLRequestSerialization, NSCopying, NSSecureCoding,
    CustomReflectable, @unchecked Sendable
{
    // @unchecked because an open class cannot be checked; its property is constant.
    private let settings: Locked<RequestSettings>

    /// A serializer with `Accept-Language`, `User-Agent` and UTF-8. Parameters of GET, HEAD and DELETE are encoded in
    /// the URL.
    public required override init() {
        settings = Locked(RequestSettings())
        super.init()
    }

    // MARK: Properties

    /// The charset of queries and form bodies; UTF-8 at first. Text that it cannot encode is an error.
    public var stringEncoding: String.Encoding {
        get { current.stringEncoding }
        set { update { $0.stringEncoding = newValue } }
    }

    /// Whether requests may use a mobile network. False until set; written to requests only once it was set.
    public var allowsCellularAccess: Bool {
        get { current.allowsCellularAccess ?? false }
        set { update { $0.allowsCellularAccess = newValue } }
    }

    /// The cache policy of requests, written to them only once it was set.
    public var cachePolicy: URLRequest.CachePolicy {
        get { current.cachePolicy ?? .useProtocolCachePolicy }
        set { update { $0.cachePolicy = newValue } }
    }

    /// Whether requests handle cookies. False until set; written to requests only once it was set.
    public var httpShouldHandleCookies: Bool {
        get { current.handlesCookies ?? false }
        set { update { $0.handlesCookies = newValue } }
    }

    /// Whether requests may be sent before the response to the previous one; written to them only once it was set.
    public var httpShouldUsePipelining: Bool {
        get { current.usesPipelining ?? false }
        set { update { $0.usesPipelining = newValue } }
    }

    /// The service type of requests, written to them only once it was set.
    public var networkServiceType: URLRequest.NetworkServiceType {
        get { current.networkServiceType ?? .default }
        set { update { $0.networkServiceType = newValue } }
    }

    /// Seconds without progress until a request fails. Zero until set; requests get it only once it
    /// was set and have 60 before.
    public var timeoutInterval: TimeInterval {
        get { current.timeoutInterval ?? 0 }
        set { update { $0.timeoutInterval = newValue } }
    }

    /// A snapshot of the default header fields, which each request gets unless it has them.
    public var httpRequestHeaders: [String: String] { current.headers }

    /// The methods, in upper case, whose parameters are encoded in the URL; `GET`, `HEAD` and `DELETE` at first. The
    /// upper-case method of a request is looked up here.
    public var httpMethodsEncodingParametersInURI: Set<String> {
        get { current.methodsInURI }
        set { update { $0.methodsInURI = newValue } }
    }

    // MARK: Header fields

    /// Sets a default header field; nil removes it.
    ///
    /// Names are case-insensitive (RFC 9110 section 5.1).
    public func setValue(_ value: String?, forHTTPHeaderField field: String) {
        update { $0.setHeader(field, to: value) }
    }

    /// Sets several default header fields at once; nil removes one. A request has either all old or all new values.
    public func setHTTPHeaderFields(_ fields: [String: String?]) {
        update { settings in
            for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
                settings.setHeader(field, to: value)
            }
        }
    }

    /// The value of a default header field, or nil.
    public func value(forHTTPHeaderField field: String) -> String? {
        current.header(field)
    }

    /// Sets `Authorization` to Basic credentials: base64 of `username:password` in UTF-8
    /// (RFC 7617).
    public func setAuthorizationHeaderField(username: String, password: String) {
        let credentials = Data("\(username):\(password)".utf8).base64EncodedString()
        setValue("Basic \(credentials)", forHTTPHeaderField: "Authorization")
    }

    /// Sets `Authorization` to a bearer token (RFC 6750 section 2.1). Like every `Authorization` field it is not sent
    /// to another origin after a redirect.
    ///
    /// - Parameter bearerToken: with control characters the next request is refused.
    public func setAuthorizationHeaderField(bearerToken: String) {
        setValue("Bearer \(bearerToken)", forHTTPHeaderField: "Authorization")
    }

    /// Removes the default `Authorization` field.
    public func clearAuthorizationHeader() {
        setValue(nil, forHTTPHeaderField: "Authorization")
    }

    // MARK: Query

    /// Sets a block that encodes parameters; nil restores the default.
    ///
    /// Its text is used unchanged in URLs and form bodies. An error of the block, or a text that makes the URL invalid,
    /// is the error of the request.
    public func setQueryStringSerialization(
        _ block: (@Sendable (_ request: URLRequest, _ parameters: Any) throws -> String)?
    ) {
        update { $0.queryBlock = block }
    }

    /// Like `setQueryStringSerialization`, with AFNetworking's block, which may return nil for no parameters.
    package func setOptionalQueryStringSerialization(
        _ block: (@Sendable (_ request: URLRequest, _ parameters: Any) throws -> String?)?
    ) {
        update { $0.queryBlock = block }
    }

    // MARK: Requests

    /// A request with the serializer's header fields and properties, and with parameters.
    ///
    /// - Parameters:
    ///   - method: used unchanged.
    ///   - urlString: a URL.
    ///   - parameters: nil for none. If they are encoded in the body, there is a body and a content type even without
    ///     parameters. If they are encoded in the URL, empty ones add a `?`.
    /// - Throws: ``RequestSerializationError``, or the error of the query block.
    open func request(method: String, urlString: String, parameters: Any?) throws -> URLRequest {
        let url = try RequestURL.url(urlString)
        let settings = current
        return try SettingsInUse.$current.withValue(SettingsInUse(settings, of: self)) {
            // Passed without a variable: Foundation copies a request with two references before a field is set.
            try self.request(bySerializing: settings.request(method, url), with: parameters)
        }
    }

    /// A request with a `multipart/form-data` body that is read while it is sent.
    ///
    /// - Parameters:
    ///   - method: any but GET and HEAD.
    ///   - urlString: as for ``request(method:urlString:parameters:)``.
    ///   - parameters: one part for each name and value, as in a query, before those of the block.
    ///   - constructingBody: appends parts; called before the method returns, on the caller's thread.
    /// - Throws: ``RequestSerializationError``; ``MultipartError`` for GET and HEAD, for a refused part, and for a
    ///   parameter that `stringEncoding` cannot encode.
    open func multipartFormRequest(
        method: String, urlString: String, parameters: [String: Any]?,
        constructingBody: ((any MultipartFormData) -> Void)?
    ) throws -> URLRequest {
        guard method != "GET", method != "HEAD" else {
            throw MultipartError(
                .methodWithoutBody, "A \(method) request has no multipart body.")
        }
        let request = try request(method: method, urlString: urlString, parameters: nil)
        return try current.withParts(request, parameters, constructingBody)
    }

    /// Writes the body of a multipart request to a file, in the background.
    ///
    /// - Parameters:
    ///   - request: made by ``multipartFormRequest(method:urlString:parameters:constructingBody:)``.
    ///   - fileURL: the file to write.
    ///   - completionHandler: called once, on the main queue, with the error if there was one.
    /// - Returns: the request without its body.
    open func request(
        withMultipartFormRequest request: URLRequest, writingStreamContentsToFile fileURL: URL,
        completionHandler: (@Sendable ((any Error)?) -> Void)?
    ) -> URLRequest {
        MultipartSpool.request(
            from: request, writingTo: fileURL, completionHandler: completionHandler)
    }

    /// The request with default header fields and parameters. Subclasses override this method.
    open func request(
        bySerializing request: consuming URLRequest, with parameters: Any?
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

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// A serializer from an archive, without the query block; nil if the header fields cannot be read.
    public required init?(coder: NSCoder) {
        guard let settings = RequestSettings(coder: coder) else { return nil }
        self.settings = Locked(settings)
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

    /// The current settings or, while this thread makes a request, those of that request.
    var current: RequestSettings {
        (SettingsInUse.of(self)?.settings ?? settings).withLock { $0 }
    }

    /// Changes the settings, and those of the request that this thread makes, if an override does it then.
    func update(_ change: (inout RequestSettings) -> Void) {
        Self.change(settings, change)
        if let settings = SettingsInUse.of(self)?.settings { Self.change(settings, change) }
    }

    private static func change(
        _ settings: Locked<RequestSettings>, _ change: (inout RequestSettings) -> Void
    ) {
        let old = settings.withLock { settings in
            let old = settings
            change(&settings)
            return old
        }
        // The old query block is released without the lock: a `deinit` of what it captured may call the serializer.
        withExtendedLifetime(old) {}
    }
}

/// The settings of the request that this thread makes.
private struct SettingsInUse: Sendable {
    @TaskLocal static var current: SettingsInUse?

    let settings: Locked<RequestSettings>
    private let owner: ObjectIdentifier

    init(_ settings: RequestSettings, of owner: HTTPRequestSerializer) {
        self.settings = Locked(settings)
        self.owner = ObjectIdentifier(owner)
    }

    static func of(_ serializer: HTTPRequestSerializer) -> SettingsInUse? {
        current.flatMap { $0.owner == ObjectIdentifier(serializer) ? $0 : nil }
    }
}

/// Encodes parameters in a request's URL, body or header fields.
public protocol URLRequestSerialization: AnyObject, Sendable {
    /// The request with its parameters.
    ///
    /// - Parameters:
    ///   - request: not changed.
    ///   - parameters: nil for none.
    /// - Throws: why the request cannot be made.
    func request(bySerializing request: URLRequest, with parameters: Any?) throws -> URLRequest
}
