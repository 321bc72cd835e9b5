import Foundation

/// An IPv4 or IPv6 address in network byte order, and the interface it belongs to, if any.
struct NetworkAddress: Hashable, Sendable {
    enum Family: Sendable {
        case ipv4
        case ipv6

        /// Bytes in an address.
        var length: Int { self == .ipv4 ? 4 : 16 }
    }

    let bytes: [UInt8]
    /// The interface's number; 0 for none. A link-local IPv6 address is meaningless without one.
    let interface: Int

    static let loopback4 = NetworkAddress(ipv4: [127, 0, 0, 1])
    static let loopback6 = NetworkAddress(
        ipv6: [UInt8](repeating: 0, count: 15) + [1], interface: 0)
    /// a.root-servers.net: 198.41.0.4 and 2001:503:ba3e::2:30.
    static let rootServer4 = NetworkAddress(ipv4: [198, 41, 0, 4])
    static let rootServer6 = NetworkAddress(
        ipv6: [0x20, 1, 5, 3, 0xBA, 0x3E, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0x30], interface: 0)

    private init(ipv4 bytes: [UInt8]) {
        self.bytes = bytes
        interface = 0
    }

    /// An IPv4-mapped IPv6 address becomes the IPv4 address, because its packets are IPv4 packets.
    private init(ipv6 bytes: [UInt8], interface: Int) {
        let mapped = [UInt8](repeating: 0, count: 10) + [255, 255]
        let isMapped = bytes.starts(with: mapped)
        self.bytes = isMapped ? [UInt8](bytes.suffix(4)) : bytes
        self.interface = isMapped ? 0 : interface
    }

    /// Reads a `sockaddr_in` or `sockaddr_in6`; nil for any other family.
    ///
    /// - Parameter address: at least two readable bytes, and as many as its family needs.
    init?(socketAddress address: UnsafeRawPointer) {
        // The family is the first member of each structure on Linux; on macOS it follows a byte
        // with the length. Several C modules declare `sockaddr`, and Swift wants the one it
        // imported first, so the code does not name the type.
        #if canImport(Darwin)
            let place = 1
        #else
            let place = 0
        #endif
        // The caller's memory may have any alignment.
        let family = address.loadUnaligned(fromByteOffset: place, as: sa_family_t.self)
        switch Int32(family) {
        case AF_INET:
            let internet = address.loadUnaligned(as: sockaddr_in.self)
            self.init(ipv4: withUnsafeBytes(of: internet.sin_addr) { [UInt8]($0) })
        case AF_INET6:
            let internet = address.loadUnaligned(as: sockaddr_in6.self)
            self.init(
                ipv6: withUnsafeBytes(of: internet.sin6_addr) { [UInt8]($0) },
                interface: Int(internet.sin6_scope_id))
        default:
            return nil
        }
    }

    /// Reads a numeric address such as `192.0.2.1`, `::1` or `fe80::1%eth0`, without a look-up.
    init?(literal text: String) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        var list: UnsafeMutablePointer<addrinfo>?
        guard !text.isEmpty, !text.contains("\0"), getaddrinfo(text, nil, &hints, &list) == 0
        else { return nil }
        defer { freeaddrinfo(list) }
        guard let address = list?.pointee.ai_addr else { return nil }
        self.init(socketAddress: address)
    }

    /// Whether a URL's host is an address of this machine; a name that begins like one is not.
    static func isLoopback(_ host: String) -> Bool {
        (host.hasPrefix("127.") || host.hasPrefix(":"))
            && NetworkAddress(literal: host)?.isLoopback == true
    }

    var family: Family { bytes.count == Family.ipv4.length ? .ipv4 : .ipv6 }
    /// Whether it is the unspecified address: 0.0.0.0 or ::.
    var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }
    var isLoopback: Bool { family == .ipv4 ? bytes[0] == 127 : self == Self.loopback6 }
    /// Whether each machine takes it for itself: 169.254/16, fe80::/10.
    var isLinkLocal: Bool { isLinkLocal6 || bytes.starts(with: [169, 254]) && family == .ipv4 }
    /// Whether it is in fe80::/10.
    var isLinkLocal6: Bool {
        family == .ipv6 && bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }
}
