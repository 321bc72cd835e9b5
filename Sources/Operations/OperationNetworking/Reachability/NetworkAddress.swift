import Foundation

/// An IPv4 or IPv6 address in network byte order.
struct NetworkAddress: Hashable, Sendable {
    enum Family: Sendable {
        case ipv4
        case ipv6

        /// Bytes in an address.
        var length: Int { self == .ipv4 ? 4 : 16 }
    }

    let bytes: [UInt8]
    /// The interface's index, which a link-local IPv6 address needs; 0 for none.
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
        // The family is the first member of each structure. Several C modules declare `sockaddr`,
        // so the code does not name the type. The caller's memory may have any alignment.
        let family = address.loadUnaligned(as: sa_family_t.self)
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

    /// Whether a URL's host is a loopback address; host names are not looked up.
    static func isLoopback(_ host: String) -> Bool {
        (host.hasPrefix("127.") || host.hasPrefix(":"))
            && NetworkAddress(literal: host)?.isLoopback == true
    }

    var family: Family { bytes.count == Family.ipv4.length ? .ipv4 : .ipv6 }
    /// Whether it is 0.0.0.0 or ::.
    var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }
    var isLoopback: Bool { family == .ipv4 ? bytes[0] == 127 : self == Self.loopback6 }
    /// Whether it is in 169.254/16 or fe80::/10, which need no router.
    var isLinkLocal: Bool { isLinkLocal6 || bytes.starts(with: [169, 254]) && family == .ipv4 }
    /// Whether it is in fe80::/10.
    var isLinkLocal6: Bool {
        family == .ipv6 && bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }
}

/// A network interface with its addresses.
struct NetworkInterface: Equatable, Sendable {
    var name: String
    /// The kernel's ARPHRD number: 1 Ethernet, 512 PPP, 772 loopback, …
    var hardwareType: UInt16 = 1
    /// Whether it is switched on and has a carrier.
    var isRunning = true
    var isLoopback = false
    var addresses: [NetworkAddress] = []

    /// Whether it belongs to a mobile network, by its name or hardware type. PPP over a telephone line
    /// or DSL cannot be told apart, and counts too.
    var isWWAN: Bool {
        let names = ["wwan", "wwp", "ppp", "rmnet"]
        let types: [UInt16] = [512, 519]  // PPP, raw IP
        return types.contains(hardwareType) || names.contains { name.hasPrefix($0) }
    }
}

extension NetworkInterface {
    /// The interfaces of the calling thread's network namespace.
    static func all() throws(KernelRefusal) -> [NetworkInterface] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { throw KernelRefusal() }
        defer { freeifaddrs(list) }
        var found: [String: NetworkInterface] = [:]
        for entry in sequence(first: list, next: { $0?.pointee.ifa_next }) {
            guard let entry = entry?.pointee else { continue }
            // An address may have a label of its own, as "eth0:1".
            let name = String(String(cString: entry.ifa_name).prefix { $0 != ":" })
            let has = { (flag: Int) in entry.ifa_flags & UInt32(flag) != 0 }
            found[name, default: NetworkInterface(name: name)].add(
                entry.ifa_addr.map { UnsafeRawPointer($0) },
                isRunning: has(Int(IFF_UP)) && has(Int(IFF_RUNNING)),
                isLoopback: has(Int(IFF_LOOPBACK)))
        }
        return found.values.sorted { $0.name < $1.name }
    }

    private mutating func add(
        _ address: UnsafeRawPointer?, isRunning: Bool, isLoopback: Bool
    ) {
        self.isRunning = isRunning
        self.isLoopback = isLoopback
        guard let address else { return }
        if let internet = NetworkAddress(socketAddress: address) {
            addresses.append(internet)
        } else if Int32(address.loadUnaligned(as: sa_family_t.self)) == AF_PACKET {
            // `sll_hatype` of a `sockaddr_ll`, which Swift's Glibc module does not have.
            hardwareType = address.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
        }
    }
}
