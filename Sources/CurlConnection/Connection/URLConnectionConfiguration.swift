public import HTTPSemantics

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
    /// A load beyond it waits behind those that came before it, and its time-out does not run
    /// meanwhile. On HTTP/2, where loads share a connection, 100 go at once, over as many
    /// connections as the server's number of streams makes necessary. The loads of one thread and
    /// the same run-loop modes are counted together.
    public var httpMaximumConnectionsPerHost = 6
    /// How many connections may be in use in all when a load begins; 256 at first.
    public var maximumConnections = 256
    /// Whether a redirect may lead from https to http. At first it fails with
    /// `URLError.appTransportSecurityRequiresSecureConnection`.
    public var followsRedirectsFromHTTPSToHTTP = false
    /// The certificate for the request's own origin, where that asks for one; no other gets it.
    public var clientCertificate: ClientCertificateCredential?

    /// The settings named at each property.
    public init() {}
}
