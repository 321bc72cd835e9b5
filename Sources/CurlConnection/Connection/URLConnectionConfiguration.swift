public import HTTPSemantics

/// What a load uses besides its request: stores, a proxy, limits.
///
/// A value: read when the load starts, so a change counts for the next one. The stores are objects
/// and are shared by whoever has the same.
public struct URLConnectionConfiguration: Sendable {
    /// Where cookies come from and go to, for requests whose `httpShouldHandleCookies` is true (RFC
    /// 6265); nil: none are sent or kept. `CookieStorage.shared`, in memory only, at first.
    public var cookieStorage: CookieStorage? = .shared
    /// What answers without the server, and keeps its answers (RFC 9111); nil: nothing.
    /// `ResponseCache.shared`, 4 MiB of memory and no disk, at first.
    public var responseCache: ResponseCache? = .shared
    /// What is asked for a credential before the delegate is, if that allows it; nil: nothing.
    public var credentialStorage: CredentialStorage? = .shared
    /// Where loads go through; straight to the server at first, whatever the environment says.
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
    /// What is shown to the request's own origin when it asks for a certificate; no other sees it.
    public var clientCertificate: ClientCertificateCredential?

    /// The settings named at each property.
    public init() {}
}
