import CurlConnection
import Foundation
import HTTPSemantics

/// A configuration as an archive holds it: what of it protects is never lost.
///
/// Stores are objects of the process: the shared one comes back as that, any other as none, since
/// a program with a separate one must not get the shared one. A proxy comes back without its login where that
/// has a password, which no archive should hold; a client certificate does not come back, and
/// neither does leave to leave TLS.
struct ConfigurationArchive: Codable {
    private var hasCookies: Bool
    private var hasCache: Bool
    private var hasCredentials: Bool
    private var redirects: Int
    private var bodyInMemory: Int64
    private var decompressionRatio: Int?
    private var head: Int
    private var perHost: Int
    private var total: Int
    private var proxy: ArchivedProxySetting
    private var connection: ArchivedConnection?

    init(_ configuration: URLConnectionConfiguration) {
        hasCookies = configuration.cookieStorage === CookieStorage.shared
        hasCache = configuration.responseCache === ResponseCache.shared
        hasCredentials = configuration.credentialStorage === CredentialStorage.shared
        redirects = configuration.limits.redirects
        bodyInMemory = configuration.limits.bodyInMemory
        decompressionRatio = configuration.limits.decompressionRatio
        head = configuration.limits.head
        perHost = configuration.httpMaximumConnectionsPerHost
        total = configuration.maximumConnections
        proxy = ArchivedProxySetting(configuration.proxy)
        connection = ArchivedConnection(configuration)
    }

    /// - Throws: `ProxyError` for a proxy that cannot be one, `CocoaError` for a number below zero.
    func configuration() throws -> URLConnectionConfiguration {
        let counts = [redirects, head, perHost, total, decompressionRatio ?? 0]
        guard counts.allSatisfy({ $0 >= 0 }), bodyInMemory >= 0 else {
            throw CocoaError(.coderReadCorrupt)
        }
        var configuration = URLConnectionConfiguration()
        if !hasCookies { configuration.cookieStorage = nil }
        if !hasCache { configuration.responseCache = nil }
        if !hasCredentials { configuration.credentialStorage = nil }
        configuration.limits.redirects = redirects
        configuration.limits.bodyInMemory = bodyInMemory
        configuration.limits.decompressionRatio = decompressionRatio
        configuration.limits.head = head
        configuration.httpMaximumConnectionsPerHost = perHost
        configuration.maximumConnections = total
        configuration.proxy = try proxy.setting()
        try connection?.give(to: &configuration)
        return configuration
    }

    private static let key = "configuration"

    static func encode(_ configuration: URLConnectionConfiguration, with coder: NSCoder) {
        coder.encode(value: ConfigurationArchive(configuration), forKey: key)
    }

    /// - Returns: nil where it was not written or cannot be read: its limits may have been lower.
    static func decode(from coder: NSCoder) -> URLConnectionConfiguration? {
        try? coder.value(ConfigurationArchive.self, forKey: key)?.configuration()
    }
}

/// Where connections lead and what they may be like.
private struct ArchivedConnection: Codable {
    private var unixDomainSocketPath: String?
    private var hostAddresses: [String: [String]]
    private var connectTimeout: TimeInterval?
    private var minimumTLSVersion: TLSVersion
    private var maximumReceiveRate: Int64?
    private var maximumSendRate: Int64?
    private var keepsMethodAfterRedirect: Bool
    /// Nil in an archive from before there was the setting.
    private var decodesContent: Bool?

    init(_ configuration: URLConnectionConfiguration) {
        unixDomainSocketPath = configuration.unixDomainSocketPath
        hostAddresses = configuration.hostAddresses
        connectTimeout = configuration.connectTimeout
        minimumTLSVersion = configuration.minimumTLSVersion
        maximumReceiveRate = configuration.maximumReceiveRate
        maximumSendRate = configuration.maximumSendRate
        keepsMethodAfterRedirect = configuration.keepsMethodAfterRedirect
        decodesContent = configuration.decodesContent
    }

    func give(to configuration: inout URLConnectionConfiguration) throws {
        guard (maximumReceiveRate ?? 1) > 0, (maximumSendRate ?? 1) > 0 else {
            throw CocoaError(.coderReadCorrupt)
        }
        configuration.unixDomainSocketPath = unixDomainSocketPath
        configuration.hostAddresses = hostAddresses
        configuration.connectTimeout = connectTimeout
        configuration.minimumTLSVersion = minimumTLSVersion
        configuration.maximumReceiveRate = maximumReceiveRate
        configuration.maximumSendRate = maximumSendRate
        configuration.keepsMethodAfterRedirect = keepsMethodAfterRedirect
        configuration.decodesContent = decodesContent ?? true
    }
}

/// A proxy setting without logins that have a password.
private struct ArchivedProxySetting: Codable {
    private struct One: Codable {
        var kind: String
        var host: String
        var port: Int
        var user: String?
        var exceptions: [String]
        var anchors: [Data]?

        init(_ proxy: Proxy) {
            kind = proxy.kind.rawValue
            host = proxy.host
            port = proxy.port
            user = proxy.password == nil ? proxy.user : nil
            exceptions = proxy.exceptions
            anchors = proxy.anchorCertificates?.map(\.der)
        }

        func proxy() throws -> Proxy {
            guard let kind = Proxy.Kind(rawValue: kind) else { throw ProxyError(.unknownScheme) }
            var proxy = try Proxy(kind, host: host, port: port, user: user, exceptions: exceptions)
            proxy.anchorCertificates = try anchors?.map { try Certificate(der: $0) }
            return proxy
        }
    }

    private var usesEnvironment = false
    private var fixed: One?
    private var http: One?
    private var https: One?

    init(_ setting: ProxySetting) {
        switch setting {
        case .direct: break
        case .environment: usesEnvironment = true
        case .fixed(let proxy): fixed = One(proxy)
        case .byScheme(let http, let https):
            self.http = http.map(One.init)
            self.https = https.map(One.init)
        }
    }

    func setting() throws -> ProxySetting {
        if usesEnvironment { return .environment }
        if let fixed { return .fixed(try fixed.proxy()) }
        if http == nil, https == nil { return .direct }
        return .byScheme(http: try http?.proxy(), https: try https?.proxy())
    }
}
