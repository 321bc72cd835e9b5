public import Foundation
import HTTPSemantics
import Locking

/// The proxies of loads.
public enum ProxySetting: Hashable, Sendable {
    /// No proxy, whatever the environment says.
    case direct
    /// One proxy, except for its `exceptions`.
    case fixed(Proxy)
    /// One proxy for http URLs and another for https URLs; nil is none.
    case byScheme(http: Proxy?, https: Proxy?)
    /// The proxies of the process's environment, read for each load by libcurl's rules: `http_proxy` in
    /// lower case only, or `https_proxy` in lower or upper case; else `all_proxy` or `ALL_PROXY`. There is none for
    /// the hosts in `no_proxy` or `NO_PROXY`. An entry there that is no exception for `Proxy` matches nothing, and is
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

/// Hosts that are loaded without a proxy: one entry of `Proxy.exceptions` or of `no_proxy`.
struct ProxyException: Hashable, Sendable {
    private enum Hosts: Hashable, Sendable {
        case all
        /// A name and all below it.
        case domain(String)
        /// What is below a name, without itself.
        case below(String)
        /// The addresses whose first bits are those of the bytes, of which there are 4 or 16.
        case network([UInt8], bits: Int)
    }

    private let hosts: Hosts
    private let port: Int?

    init(_ text: String) throws(ProxyError) {
        let (host, port) = try Self.split(text)
        self.port = port
        if host == "*" {
            hosts = .all
        } else if let network = Self.network(host, mayHaveBits: port == nil) {
            hosts = network
        } else if host.hasPrefix("*."), let name = Self.name(host.dropFirst(2)) {
            hosts = .below(name)
        } else if let name = Self.name(host.hasPrefix(".") ? host.dropFirst() : host[...]) {
            hosts = .domain(name)
        } else {
            throw ProxyError(.badException)
        }
    }

    func matches(_ url: URL) -> Bool {
        guard let host = url.host(percentEncoded: false) else { return false }
        if let port, port != url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) {
            return false
        }
        switch hosts {
        case .all: return true
        case .network(let bytes, let bits):
            return Self.bytes(of: host).map { Self.agree($0, bytes, bits) } ?? false
        case .domain(let name):
            guard let asked = Self.name(host[...]) else { return false }
            return asked == name || asked.hasSuffix("." + name)
        case .below(let name):
            return Self.name(host[...])?.hasSuffix("." + name) ?? false
        }
    }

    // MARK: Reading

    /// The host and the port; an IPv6 address has a port only in brackets.
    private static func split(_ text: String) throws(ProxyError) -> (String, Int?) {
        guard let colon = text.lastIndex(of: ":"), bytes(of: text) == nil, !text.contains("/"),
            !text.hasSuffix("]")
        else { return (text, nil) }
        let digits = text[text.index(after: colon)...]
        guard let port = FieldValue.number(digits), (1...65_535).contains(port) else {
            throw ProxyError(.badException)
        }
        return (String(text[..<colon]), Int(port))
    }

    private static func network(_ text: String, mayHaveBits: Bool) -> Hosts? {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let bytes = bytes(of: String(parts[0])) else { return nil }
        guard parts.count == 2 else { return .network(bytes, bits: bytes.count * 8) }
        guard mayHaveBits, let bits = FieldValue.number(parts[1]), bits <= bytes.count * 8
        else { return nil }
        return .network(bytes, bits: Int(bits))
    }

    private static func name(_ text: Substring) -> String? {
        HostName.address(in: String(text)) == nil
            ? HostName.canonical(String(text))?.lowercased() : nil
    }

    private static func bytes(of host: String) -> [UInt8]? {
        guard let address = HostName.address(in: host) else { return nil }
        let isSix = address.contains(":")
        var bytes = [UInt8](repeating: 0, count: isSix ? 16 : 4)
        return inet_pton(isSix ? AF_INET6 : AF_INET, address, &bytes) == 1 ? bytes : nil
    }

    private static func agree(_ one: [UInt8], _ other: [UInt8], _ bits: Int) -> Bool {
        guard one.count == other.count else { return false }
        let whole = bits / 8
        guard one.prefix(whole) == other.prefix(whole) else { return false }
        guard bits % 8 > 0 else { return true }
        return (one[whole] ^ other[whole]) >> UInt8(8 - bits % 8) == 0
    }
}

/// Malformed entries of `no_proxy` and of dictionaries: they match nothing, as in libcurl, and each is written to
/// standard error once in the process.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around what was written. Calls out on: the caller's thread, without the lock.
final class UnreadExceptions: Sendable {
    static let shared = UnreadExceptions { line in
        // What reads standard error may be slow.
        DispatchQueue.global(qos: .utility).async {
            try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
        }
    }

    private let written = Locked<Set<String>>([])
    private let write: @Sendable (String) -> Void

    private static let mostEntries = 100
    private static let longestEntry = 100

    init(writing write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    /// The entries that are not malformed.
    ///
    /// - Parameter source: the variable or the key that has them.
    func rest(of entries: [String], in source: String) -> [String] {
        entries.filter { entry in
            guard (try? ProxyException(entry)) == nil else { return true }
            let line =
                "CurlConnection: \(source) has \(String(entry.prefix(Self.longestEntry)).debugDescription), "
                + "which is neither a name, an address nor a network; it matches no host."
            let isFirst = written.withLock {
                $0.count < Self.mostEntries && $0.insert(line).inserted
            }
            if isFirst { write(line) }
            return false
        }
    }
}
