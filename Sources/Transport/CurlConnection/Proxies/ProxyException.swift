import Foundation
import HTTPSemantics
import Locking

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
