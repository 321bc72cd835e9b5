import Foundation
import HTTPSemantics

/// What of a configuration protects is never lost.
///
/// Stores are objects of the process: the shared one comes back as that, any other as none, since
/// a program with a separate one must not get the shared one. A proxy comes back without its login where that
/// has a password; a client certificate does not come back, and neither does leave to leave TLS.
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
            (maximumReceiveRate ?? 1) > 0, (maximumSendRate ?? 1) > 0
        else { throw CocoaError(.coderReadCorrupt) }
    }
}
