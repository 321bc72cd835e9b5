import Foundation

/// An interface of the system's with its addresses.
struct NetworkInterface: Equatable, Sendable {
    var name: String
    /// The kernel's ARPHRD number: 1 Ethernet, 512 PPP, 772 loopback, …
    var hardwareType: UInt16 = 1
    /// Whether it is switched on and has a carrier.
    var isRunning = true
    var isLoopback = false
    var addresses: [NetworkAddress] = []

    /// Whether it belongs to a mobile network, by its name or hardware type.
    ///
    /// PPP over a telephone line or DSL looks the same, and counts as well.
    var isWWAN: Bool {
        let names = ["wwan", "wwp", "ppp", "rmnet"]
        let types: [UInt16] = [512, 519]  // PPP, raw IP
        return types.contains(hardwareType) || names.contains { name.hasPrefix($0) }
    }
}

#if os(Linux)
    extension NetworkInterface {
        /// The interfaces of the thread's network namespace.
        static func all() throws(KernelSilence) -> [NetworkInterface] {
            var list: UnsafeMutablePointer<ifaddrs>?
            guard getifaddrs(&list) == 0 else { throw KernelSilence() }
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
                // A `sockaddr_ll`, which Swift's Glibc module leaves out: family, protocol, index.
                hardwareType = address.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
            }
        }
    }
#endif
