import Foundation
import HTTPSemantics

extension Proxy: Codable {
    private enum Key: String, CodingKey {
        case kind, host, port, user, exceptions, anchors
    }

    /// Leaves out a login that has a password, which nothing that is kept should hold.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(kind, forKey: .kind)
        try values.encode(host, forKey: .host)
        try values.encode(port, forKey: .port)
        try values.encodeIfPresent(password == nil ? user : nil, forKey: .user)
        try values.encode(exceptions, forKey: .exceptions)
        try values.encodeIfPresent(anchorCertificates?.map(\.der), forKey: .anchors)
    }

    /// - Throws: also `ProxyError`, and `CertificateError` for what is no certificate.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        try self.init(
            values.decode(Kind.self, forKey: .kind),
            host: values.decode(String.self, forKey: .host),
            port: values.decode(Int.self, forKey: .port),
            user: values.decodeIfPresent(String.self, forKey: .user),
            exceptions: values.decode([String].self, forKey: .exceptions))
        anchorCertificates = try values.decodeIfPresent([Data].self, forKey: .anchors)?
            .map { try Certificate(der: $0) }
    }
}

extension ProxySetting: Codable {
    private struct Proxies: Codable {
        var usesEnvironment: Bool
        var fixed: Proxy?
        var http: Proxy?
        var https: Proxy?
    }

    /// Writes the proxies, each without a login that has a password.
    public func encode(to encoder: any Encoder) throws {
        var proxies = Proxies(usesEnvironment: self == .environment)
        switch self {
        case .direct, .environment: break
        case .fixed(let proxy): proxies.fixed = proxy
        case .byScheme(let http, let https): (proxies.http, proxies.https) = (http, https)
        }
        try proxies.encode(to: encoder)
    }

    /// - Throws: also what `Proxy` throws.
    public init(from decoder: any Decoder) throws {
        let proxies = try Proxies(from: decoder)
        if proxies.usesEnvironment {
            self = .environment
        } else if let fixed = proxies.fixed {
            self = .fixed(fixed)
        } else if proxies.http == nil, proxies.https == nil {
            self = .direct
        } else {
            self = .byScheme(http: proxies.http, https: proxies.https)
        }
    }
}
