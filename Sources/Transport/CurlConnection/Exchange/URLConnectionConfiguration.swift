public import Foundation
public import FoundationNetworking
// A program that imports CurlConnection has the stores, limits and policies that it takes.
@_exported public import HTTPSemantics

/// The settings of a load besides its request: stores, proxy and limits.
///
/// It is a value, read when the load starts, so a change counts for the next load. The stores are
/// objects and are shared.
public struct URLConnectionConfiguration: Sendable {
    /// The cookies of requests whose `httpShouldHandleCookies` is true (RFC 6265); nil: none are sent or
    /// stored. `CookieStorage.shared`, in memory only, at first.
    public var cookieStorage: CookieStorage? = .shared
    /// The cache of responses (RFC 9111); nil: none.
    /// `ResponseCache.shared`, 4 MiB of memory and no disk, at first.
    public var responseCache: ResponseCache? = .shared
    /// Asked for a credential before the delegate, where the delegate allows it; nil: none.
    public var credentialStorage: CredentialStorage? = .shared
    /// The proxy; none at first, whatever the environment says.
    public var proxy = ProxySetting.direct
    /// How much a load may bring.
    public var limits = LoadLimits()
    /// How many connections may be in use to the scheme, host and port when a load begins; 6 at
    /// first.
    ///
    /// A load beyond it waits behind those of its priority that came before it, and its time-out does not run
    /// meanwhile. On HTTP/2, where loads share a connection, 100 go at once, over as many
    /// connections as the server's number of streams makes necessary. The loads of one thread and
    /// the same run-loop modes are counted together, but those of each session by themselves.
    public var httpMaximumConnectionsPerHost = 6
    /// How many connections may be in use in all when a load begins; 256 at first.
    public var maximumConnections = 256
    /// Whether a redirect may lead from https to http. At first it fails with
    /// `URLError.appTransportSecurityRequiresSecureConnection`.
    public var followsRedirectsFromHTTPSToHTTP = false
    /// The time by which limits of a load, ages of stored answers and cookies go; the system's at first.
    ///
    /// Loads of different clocks never share a connection. A `TurnableClock` lets a test pass the time:
    /// what ends by it are the request's `timeoutInterval`, `connectTimeout`, the limit for the whole load, waits
    /// before retries, and connections that are kept too long. How long libcurl tries an address, and how often a
    /// stream is asked again that had nothing, goes by the system's clock.
    public var clock = NetworkClock.system
    /// The certificate for the request's own origin, where that asks for one; no other gets it.
    public var clientCertificate: ClientCertificateCredential?

    // MARK: Again

    /// When a request that failed is sent again, inside the same load; nil, the default: never.
    public var retryPolicy: RetryPolicy?
    /// Changes requests before they are sent, and decides about those that failed; nil, the default: none.
    ///
    /// ``AccessToken`` is one. An archive of the configuration leaves it out.
    public var interceptor: (any RequestInterceptor)?

    // MARK: Bodies

    /// Whether the content coding of a body is decoded; true at first. A coding that cannot be is then an
    /// error, `URLError.cannotDecodeContentData`.
    ///
    /// Where it is false, bytes come as they are sent, whatever coding they are said to have; the response's
    /// `Content-Encoding` says which, and its expected length is theirs. The request offers no coding, unless
    /// it has an `Accept-Encoding` of its own. The cache, which keeps decoded bodies, is not used.
    public var decodesContent = true

    // MARK: Where connections lead

    /// Whether a `file:` or `data:` address is loaded, as NSURLConnection did; false at first: it fails with
    /// `URLError.unsupportedURL`.
    ///
    /// It counts for the load's own request alone; a redirect to such an address is refused. Set it only where the
    /// program itself chooses the addresses: an address decides which file is read. The response is not an
    /// `HTTPURLResponse`. A file is read in pieces, off the network thread; only regular files are read. The
    /// expected length of a file with bytes whose size is given as 0, as in /proc, is unknown (-1).
    public var loadsLocalAddresses = false

    /// Classes that are asked in their order, by `canInit(with:)`, whether they load a request instead of the
    /// network, as mocks in tests do; none at first. A request that no class takes is loaded as usual.
    ///
    /// The first that takes it gets what its `canonicalRequest(for:)` returns, and loads on a queue of its own, away
    /// from the network thread. They are asked again about each redirect. What a class loads is not stored, has no
    /// cookies and is not tried again. A class that ends without a response fails the load with
    /// `URLError.badServerResponse`; its own errors are the load's as they are. It cannot be made to wait: where more
    /// than `limits.bodyInMemory` bytes of it are still to be taken, the load fails with
    /// `URLError.dataLengthExceedsMaximum`.
    public var protocolClasses: [URLProtocol.Type] = []

    /// A Unix-domain socket instead of an address, for the request's own origin; no proxy then. What a
    /// redirect leads to elsewhere is reached as usual. 1 to 107 bytes, or the load fails with
    /// `URLError.cannotConnectToHost`.
    public var unixDomainSocketPath: String?
    /// Addresses, as numbers, of hosts that are not looked up, by the host's name; nothing at first.
    ///
    /// They count where this side looks up: not for what an HTTP proxy or SOCKS with the host's name
    /// connects to. Anything but an IP address fails the load with `URLError.cannotConnectToHost`.
    public var hostAddresses: [String: [String]] = [:]

    // MARK: What a connection may be like

    /// Seconds for look-up, connection and TLS together, without the wait for a connection; `URLError.timedOut`
    /// then. Nil, the default: the request's time-out alone.
    public var connectTimeout: TimeInterval?
    /// The oldest version of TLS that is spoken with a server; 1.2 at first.
    public var minimumTLSVersion = TLSVersion.tls12
    /// Bytes a second that one response may come with, on average; nil, the default: any number. It
    /// is libcurl's limit, which looks at the latest seconds: what comes in the first of them may be more. The
    /// request's time-out does not run while the limit keeps the load waiting. Less than 1 counts as 1.
    public var maximumReceiveRate: Int64?
    /// Bytes a second that one request may be sent with, on average; nil, the default: any number. Less than 1 counts
    /// as 1.
    public var maximumSendRate: Int64?
    /// Whether a POST stays one after 301 and 302, with its body; false at first, as with browsers.
    /// 303 leads to a GET, or from a HEAD to a HEAD.
    public var keepsMethodAfterRedirect = false

    /// The settings named at each property.
    public init() {}
}

/// What of a configuration protects is never lost.
///
/// Stores are objects of the process: the shared one comes back as that, any other as none, since
/// a program with a separate one must not get the shared one. A proxy comes back without its login where that
/// has a password. Neither a client certificate nor `followsRedirectsFromHTTPSToHTTP` comes back.
extension URLConnectionConfiguration: Codable {
    private enum Key: String, CodingKey {
        case hasCookies, hasCache, hasCredentials, perHost, total, proxy, connection
        // Of the connection.
        case unixDomainSocketPath, hostAddresses, connectTimeout, minimumTLSVersion
        case maximumReceiveRate, maximumSendRate, keepsMethodAfterRedirect, decodesContent
    }

    /// Writes the values that come back; those of the limits stand beside the others.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(cookieStorage === CookieStorage.shared, forKey: .hasCookies)
        try values.encode(responseCache === ResponseCache.shared, forKey: .hasCache)
        try values.encode(credentialStorage === CredentialStorage.shared, forKey: .hasCredentials)
        try values.encode(httpMaximumConnectionsPerHost, forKey: .perHost)
        try values.encode(maximumConnections, forKey: .total)
        try values.encode(proxy, forKey: .proxy)
        var connection = values.nestedContainer(keyedBy: Key.self, forKey: .connection)
        try connection.encodeIfPresent(unixDomainSocketPath, forKey: .unixDomainSocketPath)
        try connection.encode(hostAddresses, forKey: .hostAddresses)
        try connection.encodeIfPresent(connectTimeout, forKey: .connectTimeout)
        try connection.encode(minimumTLSVersion, forKey: .minimumTLSVersion)
        try connection.encodeIfPresent(maximumReceiveRate, forKey: .maximumReceiveRate)
        try connection.encodeIfPresent(maximumSendRate, forKey: .maximumSendRate)
        try connection.encode(keepsMethodAfterRedirect, forKey: .keepsMethodAfterRedirect)
        try connection.encode(decodesContent, forKey: .decodesContent)
        try limits.encode(to: encoder)
    }

    /// - Throws: also `ProxyError` for a proxy that cannot be one, and `CocoaError` for a number below
    ///   zero.
    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: Key.self)
        if try !values.decode(Bool.self, forKey: .hasCookies) { cookieStorage = nil }
        if try !values.decode(Bool.self, forKey: .hasCache) { responseCache = nil }
        if try !values.decode(Bool.self, forKey: .hasCredentials) { credentialStorage = nil }
        limits = try LoadLimits(from: decoder)
        httpMaximumConnectionsPerHost = try values.decode(Int.self, forKey: .perHost)
        maximumConnections = try values.decode(Int.self, forKey: .total)
        proxy = try values.decode(ProxySetting.self, forKey: .proxy)
        if values.contains(.connection) {
            let its = try values.nestedContainer(keyedBy: Key.self, forKey: .connection)
            unixDomainSocketPath = try its.decodeIfPresent(
                String.self, forKey: .unixDomainSocketPath)
            hostAddresses = try its.decode([String: [String]].self, forKey: .hostAddresses)
            connectTimeout = try its.decodeIfPresent(TimeInterval.self, forKey: .connectTimeout)
            minimumTLSVersion = try its.decode(TLSVersion.self, forKey: .minimumTLSVersion)
            maximumReceiveRate = try its.decodeIfPresent(Int64.self, forKey: .maximumReceiveRate)
            maximumSendRate = try its.decodeIfPresent(Int64.self, forKey: .maximumSendRate)
            keepsMethodAfterRedirect = try its.decode(Bool.self, forKey: .keepsMethodAfterRedirect)
            decodesContent = try its.decodeIfPresent(Bool.self, forKey: .decodesContent) ?? true
        }
        let counts = [
            limits.redirects, limits.head, limits.decompressionRatio ?? 0,
            httpMaximumConnectionsPerHost, maximumConnections,
        ]
        guard counts.allSatisfy({ $0 >= 0 }), limits.bodyInMemory >= 0,
            (maximumReceiveRate ?? 0) >= 0, (maximumSendRate ?? 0) >= 0
        else { throw CocoaError(.coderReadCorrupt) }
    }
}

// Cookies (RFC 6265 section 5). They are not in the request that the delegate sees, so the cookies of one origin do not
// follow a redirect to another. A field Cookie that the caller set is sent as it is.

extension CookieStorage {
    /// The request with the field Cookie.
    func addingCookies(to request: URLRequest, at clock: NetworkClock) -> URLRequest {
        guard request.httpShouldHandleCookies, let url = request.url,
            request.value(forHTTPHeaderField: "Cookie") == nil,
            let cookies = cookieHeader(for: url, at: clock.date)
        else { return request }
        var request = request
        request.setValue(cookies, forHTTPHeaderField: "Cookie")
        return request
    }

    /// Stores the cookies of a head, also of a redirect's or a challenge's. A 407 is the proxy's and sets none.
    func storeCookies(of head: ResponseHead, for request: URLRequest, at clock: NetworkClock) {
        guard request.httpShouldHandleCookies, let url = request.url, head.statusCode != 407 else {
            return
        }
        let fields = head.values(of: "Set-Cookie")
        guard !fields.isEmpty else { return }
        store(
            setCookieFields: fields, from: url, mainDocument: request.mainDocumentURL,
            at: clock.date)
    }
}

extension URLConnectionConfiguration {
    /// The field Cookie that a request is sent with now; nil for none.
    package func cookieHeader(for request: URLRequest) -> String? {
        (cookieStorage?.addingCookies(to: request, at: clock) ?? request)
            .value(forHTTPHeaderField: "Cookie")
    }
}
