public import Foundation

/// The proxies of loads.
public enum ProxySetting: Hashable, Sendable {
    /// No proxy, whatever the environment says.
    case direct
    /// One proxy, except for its `exceptions`.
    case fixed(Proxy)
    /// One proxy for http URLs and another for https URLs; nil is none.
    case byScheme(http: Proxy?, https: Proxy?)
    /// The proxies of the process's environment, read for each load by libcurl's rules: `http_proxy` in
    /// lower case only; `https_proxy`, else `all_proxy`, in lower or upper case; none for the hosts in
    /// `no_proxy` or `NO_PROXY`. An entry there that is no exception for `Proxy` matches nothing, and is
    /// written to standard error once. A malformed proxy fails the load.
    case environment

    /// The proxy for a URL; nil is none.
    ///
    /// - Parameters:
    ///   - url: http or https.
    ///   - environment: read for the case `environment` only.
    /// - Throws: `ProxyError`: `hostTooLong`, or one that names the malformed variable.
    public func proxy(
        for url: URL,
        environment: @autoclosure () -> [String: String] = ProcessInfo.processInfo.environment
    ) throws(ProxyError) -> Proxy? {
        if case .direct = self { return nil }
        let isSecure = url.scheme?.lowercased() == "https"
        let proxy: Proxy?
        switch self {
        case .direct: proxy = nil
        case .fixed(let one): proxy = one
        case .byScheme(let http, let https): proxy = isSecure ? https : http
        case .environment:
            proxy = try ProxyEnvironment(variables: environment()).proxy(forSecure: isSecure)
        }
        guard let proxy, !proxy.isException(url) else { return nil }
        // A longer name overflows the SOCKS protocol's length byte, and libcurl's buffer before 8.4.
        guard proxy.kind.isHTTP || (url.host(percentEncoded: true) ?? "").utf8.count <= 255 else {
            throw ProxyError(.hostTooLong)
        }
        return proxy.withoutExceptions
    }
}

/// The proxies that environment variables name, by libcurl's rules.
///
/// An empty variable counts as not set. `HTTP_PROXY` is never read: in a CGI program it is what a client
/// sent as the field `Proxy`.
private struct ProxyEnvironment {
    let variables: [String: String]

    func proxy(forSecure isSecure: Bool) throws(ProxyError) -> Proxy? {
        let names = isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        guard let (name, value) = first(of: names + ["all_proxy", "ALL_PROXY"]) else { return nil }
        let exceptions = exceptions
        do throws(ProxyError) {
            return try Proxy(
                text: value.contains("://") ? value : "http://\(value)", exceptions: exceptions)
        } catch {
            throw error.found(in: name)
        }
    }

    /// Separated by commas, blanks or tabs.
    private var exceptions: [String] {
        guard let (name, value) = first(of: ["no_proxy", "NO_PROXY"]) else { return [] }
        let entries = value.split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
        return UnreadExceptions.shared.rest(of: entries, in: name)
    }

    private func first(of names: [String]) -> (String, String)? {
        for name in names {
            if let value = variables[name], !value.isEmpty { return (name, value) }
        }
        return nil
    }
}

extension ProxySetting {
    /// Reads the dictionary that `URLSessionConfiguration.connectionProxyDictionary` takes.
    ///
    /// The keys are the values of CFNetwork's constants:
    /// - `HTTPEnable`, `HTTPProxy`, `HTTPPort`
    /// - the same with `HTTPS`: an HTTP proxy for https URLs
    /// - the same with `SOCKS`: where the others are not enabled
    /// - `ExceptionsList`, strings
    /// - `kCFProxyUsernameKey` and `kCFProxyPasswordKey`, for all three
    ///
    /// Others, such as those of automatic configuration, are ignored. An entry that is no exception for
    /// `Proxy` matches nothing, and is written to standard error once. The default ports are 80, 443 and
    /// 1080, in this order, as in CFNetwork.
    ///
    /// - Throws: `ProxyError` naming the key.
    public init(connectionProxyDictionary dictionary: [AnyHashable: Any]) throws(ProxyError) {
        let keys = ProxyDictionary(values: dictionary)
        let socks = try keys.proxy("SOCKS", .socks5h, port: 1_080)
        let http = try keys.proxy("HTTP", .http, port: 80) ?? socks
        let https = try keys.proxy("HTTPS", .http, port: 443) ?? socks
        self = http == nil && https == nil ? .direct : .byScheme(http: http, https: https)
    }
}

/// Reads that dictionary; a value of the wrong type is an error.
private struct ProxyDictionary {
    let values: [AnyHashable: Any]

    func proxy(_ prefix: String, _ kind: Proxy.Kind, port: Int) throws(ProxyError) -> Proxy? {
        guard try number("\(prefix)Enable") ?? 0 != 0 else { return nil }
        do throws(ProxyError) {
            return try Proxy(
                kind, host: try value("\(prefix)Proxy", String.self) ?? "",
                port: try number("\(prefix)Port") ?? port,
                user: try value("kCFProxyUsernameKey", String.self),
                password: try value("kCFProxyPasswordKey", String.self),
                exceptions: UnreadExceptions.shared.rest(
                    of: try value("ExceptionsList", [String].self) ?? [], in: "ExceptionsList"))
        } catch {
            throw error.source == nil ? error.found(in: "\(prefix)Proxy") : error
        }
    }

    private func number(_ key: String) throws(ProxyError) -> Int? {
        if let isOn = values[key] as? Bool { return isOn ? 1 : 0 }
        if let number = values[key] as? Int { return number }
        return try value(key, NSNumber.self)?.intValue
    }

    private func value<Value>(_ key: String, _ type: Value.Type) throws(ProxyError) -> Value? {
        guard let value = values[key] else { return nil }
        guard let typed = value as? Value else { throw ProxyError(.badValue, in: key) }
        return typed
    }
}

extension ProxySetting: Codable {
    private struct Proxies: Codable {
        var usesEnvironment: Bool
        var fixed: Proxy?
        var http: Proxy?
        var https: Proxy?
    }

    /// Encodes the proxies, each without a login that has a password.
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
