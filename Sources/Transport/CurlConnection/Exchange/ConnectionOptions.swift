import Foundation

/// Where connections lead instead of to the addresses of the host's name.
struct ConnectionRoute: Hashable {
    /// The socket of the request's own origin.
    var unixDomainSocketPath: String?
    /// By host, in lower case.
    var addresses: [String: [String]] = [:]

    var isPlain: Bool { unixDomainSocketPath == nil && addresses.isEmpty }

    /// Those of a host that is not to be looked up.
    func addresses(of host: String) -> [String]? {
        addresses.isEmpty ? nil : addresses[host]
    }

    /// What distinguishes it from the plain route to a URL; nil where it is no other.
    func name(to url: URL?) -> String? {
        if let unixDomainSocketPath { return "socket \(unixDomainSocketPath)" }
        guard !addresses.isEmpty, let host = url?.host(percentEncoded: false) else { return nil }
        return addresses(of: host.lowercased()).map { "addresses \($0.joined(separator: " "))" }
    }

    /// Why connections cannot lead there; nil where they can.
    var objection: String? {
        if let path = unixDomainSocketPath, !(1...Self.longestPath).contains(path.utf8.count) {
            return "unixDomainSocketPath takes 1 to \(Self.longestPath) bytes."
        }
        for (host, addresses) in addresses {
            if addresses.isEmpty { return "hostAddresses has no address of \(host)." }
            if let other = addresses.first(where: { !Self.isAddress($0) }) {
                return "hostAddresses has \"\(other)\" for \(host), which is no IP address."
            }
        }
        return nil
    }

    /// What `sockaddr_un` has room for, with a zero at its end.
    private static let longestPath = 107

    private static func isAddress(_ text: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
    }
}

/// What an exchange asks of its connection and of the pace on it.
struct ConnectionOptions {
    var route = ConnectionRoute()
    /// Seconds for look-up, connection and TLS together.
    var connectLimit: TimeInterval?
    var minimumTLSVersion = TLSVersion.tls12
    /// Bytes a second.
    var receiveRate: Int64?
    var sendRate: Int64?

    var isRateLimited: Bool { receiveRate != nil || sendRate != nil }
}

extension CurlEasyHandle {
    /// Sets what differs from libcurl's own.
    func apply(_ options: ConnectionOptions) throws(CurlError) {
        if let path = options.route.unixDomainSocketPath { try set(.unixSocketPath, to: path) }
        if let rate = options.receiveRate { try set(.maxReceiveSpeed, to: max(1, rate)) }
        if let rate = options.sendRate { try set(.maxSendSpeed, to: max(1, rate)) }
    }
}
