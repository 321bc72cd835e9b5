import CLinux

/// What should be reachable: one destination, or several of which one is enough.
package struct ReachabilityTarget: Equatable, Sendable {
    enum Destination: Equatable, Sendable {
        case host(NetworkAddress)
        /// Any other machine: an interface with an address of its own is enough.
        case anyHost
    }

    /// Checked in this order; the first reachable one decides.
    let destinations: [Destination]

    /// The network in general: a route to a root name server, IPv4 before IPv6.
    package static let general = ReachabilityTarget(destinations: [
        .host(.rootServer4), .host(.rootServer6),
    ])

    /// Any other machine, even without a default route.
    static let anyHost = ReachabilityTarget(destinations: [.anyHost])

    private init(destinations: [Destination]) {
        self.destinations = destinations
    }

    /// The unspecified address means the network in general.
    init(_ address: NetworkAddress) {
        self = address.isUnspecified ? .general : Self(destinations: [.host(address)])
    }

    /// Names are not looked up, because that could block and the addresses would become outdated.
    ///
    /// `localhost` and names under it mean the loopback addresses (RFC 6761 section 6.3), and any other
    /// name means the network in general. Nil for an empty name.
    package init?(domain: String) {
        var name = domain.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        if let address = NetworkAddress(literal: domain) {
            self.init(address)
        } else if name == "localhost" || name.hasSuffix(".localhost") {
            self.init(destinations: [.host(.loopback4), .host(.loopback6)])
        } else if !name.isEmpty {
            self = .general
        } else {
            return nil
        }
    }
}

extension ReachabilityTarget {
    /// The system's monitor for this target, not started.
    package func monitor() -> any ReachabilityMonitor {
        NetlinkMonitor(target: self)
    }

    /// The status now; `.unknown` if the kernel refuses to say. Nothing is sent or looked up.
    package func currentStatus() -> NetworkReachabilityStatus {
        answer().status
    }

    /// The kernel's answer in the calling thread's network namespace.
    func answer() -> ReachabilityAnswer {
        do throws(KernelRefusal) {
            let interfaces = try NetworkInterface.all()
            var answer = ReachabilityAnswer.unknown
            for destination in destinations {
                switch destination {
                case .host(let address):
                    answer = ReachabilityAnswer(
                        from: try address.source(), to: address, over: interfaces)
                case .anyHost:
                    answer = ReachabilityAnswer(toAnyHostOver: interfaces)
                }
                if answer.status != .notReachable { break }
            }
            return answer
        } catch {
            return .unknown
        }
    }
}

/// Whether the kernel has a route, and the interface by which packets would leave.
struct ReachabilityAnswer: Equatable, Sendable {
    let status: NetworkReachabilityStatus
    let interface: String?

    static let unknown = ReachabilityAnswer(.unknown)

    private init(_ status: NetworkReachabilityStatus, over interface: String? = nil) {
        self.status = status
        self.interface = interface
    }

    /// The answer for one machine, which may be this one.
    ///
    /// - Parameter source: the source address that the kernel would choose; nil if it has no route.
    init(
        from source: NetworkAddress?, to destination: NetworkAddress,
        over interfaces: [NetworkInterface]
    ) {
        let hasSource = source.map { !$0.isUnusable(for: destination) } ?? false
        self.init(
            overOneOf: interfaces.filter { interface in
                hasSource && source.map(interface.addresses.contains) == true
            })
    }

    /// The answer for any other machine, even without a default route.
    init(toAnyHostOver interfaces: [NetworkInterface]) {
        self.init(
            overOneOf: interfaces.filter { interface in
                !interface.isLoopback && interface.addresses.contains { !$0.isLinkLocal }
            })
    }

    /// One running interface is enough; WiFi is preferred to WWAN.
    private init(overOneOf interfaces: [NetworkInterface]) {
        let working = interfaces.filter(\.isRunning)
        if let wired = working.first(where: { !$0.isWWAN }) {
            self.init(.reachableViaWiFi, over: wired.name)
        } else if let mobile = working.first {
            self.init(.reachableViaWWAN, over: mobile.name)
        } else {
            self.init(.notReachable)
        }
    }
}

/// The kernel refused a socket or a list, as it may in a container.
struct KernelRefusal: Error {}

extension NetworkAddress {
    /// The source address of packets to this one; nil if the kernel has no route.
    fileprivate func source() throws(KernelRefusal) -> NetworkAddress? {
        var source = [UInt8](repeating: 0, count: 28)
        switch clinux_source(bytes, Int32(bytes.count), UInt32(interface), &source) {
        case 0: return nil
        case 1: return NetworkAddress(socketAddress: source)
        default: throw KernelRefusal()
        }
    }

    /// Whether it cannot be the source of packets to a destination.
    ///
    /// While an interface has no usable address of its own, as before IPv6 has checked it, the kernel
    /// chooses another interface's or a link-local one.
    fileprivate func isUnusable(for destination: NetworkAddress) -> Bool {
        isUnspecified || isLoopback && !destination.isLoopback
            || isLinkLocal6 && !destination.isLinkLocal6
    }
}
