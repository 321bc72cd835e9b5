import Foundation

extension ProxySetting {
    /// Reads the dictionary that `URLSessionConfiguration.connectionProxyDictionary` takes.
    ///
    /// Known are `HTTPEnable`, `HTTPProxy`, `HTTPPort`, the same with `HTTPS` (the proxy for https
    /// URLs, itself spoken to by HTTP) and `SOCKS` (for what the others leave open),
    /// `ExceptionsList` (strings), `kCFProxyUsernameKey` and `kCFProxyPasswordKey` (for all three),
    /// that is, the values of CFNetwork's constants. Others, such as those of automatic
    /// configuration, are passed over. An exception that `Proxy` does not take matches nothing, and is
    /// written to the standard error once. A port that is missing is 80, 443 and 1080, in this order,
    /// as CFNetwork has it.
    ///
    /// - Throws: `ProxyError` naming the key.
    public init(connectionProxyDictionary dictionary: [AnyHashable: Any]) throws(ProxyError) {
        let keys = ProxyDictionary(dictionary)
        let socks = try keys.proxy("SOCKS", .socks5h, port: 1_080)
        let http = try keys.proxy("HTTP", .http, port: 80) ?? socks
        let https = try keys.proxy("HTTPS", .http, port: 443) ?? socks
        self = http == nil && https == nil ? .direct : .byScheme(http: http, https: https)
    }
}

/// Reads that dictionary; a value of the wrong type is an error.
private struct ProxyDictionary {
    private let values: [AnyHashable: Any]

    init(_ values: [AnyHashable: Any]) {
        self.values = values
    }

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
