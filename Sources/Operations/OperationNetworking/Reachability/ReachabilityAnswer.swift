/// Whether the kernel has a way, and the interface by which packets would leave.
struct ReachabilityAnswer: Equatable, Sendable {
    let status: NetworkReachabilityStatus
    let interface: String?

    static let unknown = ReachabilityAnswer(.unknown)

    private init(_ status: NetworkReachabilityStatus, over interface: String? = nil) {
        self.status = status
        self.interface = interface
    }

    /// The way to one machine, which may be this one.
    ///
    /// - Parameter source: the address that the kernel would give the packets; nil where it has no
    ///   way.
    init(
        from source: NetworkAddress?, to destination: NetworkAddress,
        over interfaces: [NetworkInterface]
    ) {
        let hasSource = source.map { !$0.isLent(for: destination) } ?? false
        self.init(
            overOneOf: interfaces.filter { interface in
                hasSource && source.map(interface.addresses.contains) == true
            })
    }

    /// The way to whatever other machine, also without a default route.
    init(toAnybodyOver interfaces: [NetworkInterface]) {
        self.init(
            overOneOf: interfaces.filter { interface in
                !interface.isLoopback && interface.addresses.contains { !$0.isLinkLocal }
            })
    }

    /// One that works is enough, and WiFi is reported before WWAN.
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

extension NetworkAddress {
    /// Whether no answer could come back to it from the destination.
    ///
    /// Where an interface has no address that can be used, as before IPv6 has checked it, the
    /// kernel takes that of another, or a link-local one.
    fileprivate func isLent(for destination: NetworkAddress) -> Bool {
        isUnspecified || isLoopback && !destination.isLoopback
            || isLinkLocal6 && !destination.isLinkLocal6
    }
}
