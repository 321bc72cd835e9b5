/// Interfaces, addresses and routes as the kernel lists them, and the status that follows from
/// them.
///
/// A pure value: equal facts have equal status. `status(for:)` repeats the kernel's choice of a
/// route and then checks whether that route can carry a packet.
package struct ReachabilityFacts: Equatable, Sendable {
    struct Interface: Equatable, Sendable {
        var name: String
        /// The kernel's ARPHRD number: 1 Ethernet, 512 PPP, 772 loopback, …
        var hardwareType: UInt16 = 1
        /// Whether it is switched on.
        var isUp = true
        /// Whether it is switched on and has a carrier.
        var isRunning = true
        var isLoopback = false

        /// Whether it belongs to a mobile network, by its name or hardware type.
        ///
        /// PPP over a telephone line or DSL looks the same, and counts as well.
        var isWWAN: Bool {
            let names = ["wwan", "wwp", "ppp", "rmnet"]
            let types: [UInt16] = [512, 519]  // PPP, raw IP
            return types.contains(hardwareType) || names.contains { name.hasPrefix($0) }
        }
    }

    /// An interface with an address that can be a packet's source; which address it is does not
    /// matter.
    struct Source: Hashable, Sendable {
        var interface: Int
        var family: NetworkAddress.Family
        var scope: Scope
    }

    /// The scope of an address or route, in the kernel's numbers: a smaller number reaches farther.
    struct Scope: RawRepresentable, Hashable, Sendable {
        var rawValue: UInt8

        static let universe = Scope(rawValue: 0)
        static let link = Scope(rawValue: 253)
        static let host = Scope(rawValue: 254)
    }

    struct Route: Hashable, Sendable {
        enum Kind: Sendable {
            /// The route forwards packets, or delivers them to this machine.
            case delivers
            /// The route rejects packets: unreachable, blackhole, prohibit.
            case refuses
            /// The kernel continues with the next table: throw.
            case passes
        }

        var kind = Kind.delivers
        var family: NetworkAddress.Family
        /// As many bytes as addresses of the family have; all zero for a default route.
        var destination: [UInt8]
        /// How many leading bits of the destination count.
        var prefixLength = 0
        var table: UInt32 = 254
        /// Of equally specific routes the one with the smallest metric wins.
        var metric: UInt32 = 0
        var scope = Scope.universe
        /// The interfaces of the route; a multipath route has several.
        var interfaces: [Int]
    }

    var interfaces: [Int: Interface] = [:]
    var sources: Set<Source> = []
    var routes: Set<Route> = []

    // MARK: - Status

    /// The status of the first destination that can be reached.
    package func status(for target: ReachabilityTarget) -> NetworkReachabilityStatus {
        for destination in target.destinations {
            let status = status(for: destination)
            if status != .notReachable { return status }
        }
        return .notReachable
    }

    private func status(
        for destination: ReachabilityTarget.Destination
    ) -> NetworkReachabilityStatus {
        let candidates = routes.filter { $0.leads(to: destination) && !isDead($0) }
        // Each has its own destinations.
        if case .anybody = destination { return status(over: Array(candidates), to: destination) }
        let tables = Set(candidates.map(\.table)).sorted { Self.rank($0) < Self.rank($1) }
        for table in tables {
            let best = Self.best(of: candidates.filter { $0.table == table })
            if best.contains(where: { $0.kind == .passes }) { continue }
            return status(over: best, to: destination)
        }
        return .notReachable
    }

    /// The kernel's order: local addresses, the main table, the default table. Further tables are
    /// selected by the administrator's rules, which are not read here; they come last.
    private static func rank(_ table: UInt32) -> UInt64 {
        switch table {
        case 255: 0
        case 254: 1
        case 253: 2
        default: 3 + UInt64(table)
        }
    }

    /// The preferred routes: longest prefix first, then smallest metric.
    private static func best(of routes: Set<Route>) -> [Route] {
        let length = routes.map(\.prefixLength).max()
        let longest = routes.filter { $0.prefixLength == length }
        let metric = longest.map(\.metric).min()
        return longest.filter { $0.metric == metric }
    }

    /// Whether all its interfaces are switched off; the kernel then continues its search.
    private func isDead(_ route: Route) -> Bool {
        route.kind == .delivers
            && !route.interfaces.contains { interfaces[$0]?.isUp == true }
    }

    /// Equal routes share the load. One that works is enough, and WiFi is reported before WWAN.
    private func status(
        over routes: [Route], to destination: ReachabilityTarget.Destination
    ) -> NetworkReachabilityStatus {
        var status = NetworkReachabilityStatus.notReachable
        for route in routes where route.kind == .delivers {
            for number in route.interfaces {
                guard let interface = interfaces[number], interface.isUp, interface.isRunning,
                    !interface.isLoopback || destination.isOne,
                    hasSource(for: destination, over: route, from: number)
                else { continue }
                if !interface.isWWAN { return .reachableViaWiFi }
                status = .reachableViaWWAN
            }
        }
        return status
    }

    /// Whether there is a source address for packets, with a scope that reaches far enough.
    ///
    /// It is an address of the interface, or one of a loopback interface with more than link scope,
    /// as routers and tunnels without addresses of their own use them.
    private func hasSource(
        for destination: ReachabilityTarget.Destination, over route: Route, from number: Int
    ) -> Bool {
        // IPv6 routes have no scope; the destination's is used.
        let needed = route.family == .ipv4 ? route.scope : destination.scope
        return sources.contains { source in
            guard source.family == route.family, source.scope.rawValue <= needed.rawValue else {
                return false
            }
            let isLent = interfaces[source.interface]?.isLoopback == true && source.scope != .link
            return source.interface == number || isLent
        }
    }

    // MARK: - Pruning

    /// The facts without those that cannot matter to these routes, so that their changes make no
    /// difference.
    func pruned() -> ReachabilityFacts {
        let used = Set(routes.flatMap(\.interfaces))
        let families = Set(routes.map(\.family))
        var facts = self
        facts.interfaces = interfaces.filter { used.contains($0.key) || $0.value.isLoopback }
        facts.sources = sources.filter {
            facts.interfaces[$0.interface] != nil && families.contains($0.family)
        }
        return facts
    }
}

extension ReachabilityFacts.Route {
    func leads(to destination: ReachabilityTarget.Destination) -> Bool {
        switch destination {
        case .anywhere(let family):
            return self.family == family && prefixLength == 0
        case .anybody(let family):
            return self.family == family && leadsToOthers
        case .host(let address):
            // A link-local address is bound to its interface; a rejecting route concerns all
            // interfaces.
            let isOnItsWay =
                !address.isLinkLocal6 || address.interface == 0 || kind != .delivers
                || interfaces.contains(address.interface)
            return isOnItsWay && address.hasPrefix(self.destination, length: prefixLength)
        }
    }

    /// Whether it delivers to addresses that somebody gave to machines: not to this machine's own, which have a
    /// table, to those that each machine takes for itself on a link, nor to groups.
    private var leadsToOthers: Bool {
        let head = UInt16(destination[0]) << 8 | UInt16(destination[1])
        return kind == .delivers && table != 255
            && !Self.nearby.contains { family, prefix, length in
                self.family == family && prefixLength >= length
                    && (head ^ prefix) >> (16 - length) == 0
            }
    }

    /// 127/8, 169.254/16, 224/4; fe80::/10, ff00::/8.
    private static let nearby: [(NetworkAddress.Family, prefix: UInt16, length: Int)] = [
        (.ipv4, 0x7F00, 8), (.ipv4, 0xA9FE, 16), (.ipv4, 0xE000, 4), (.ipv6, 0xFE80, 10),
        (.ipv6, 0xFF00, 8),
    ]

    func leads(to target: ReachabilityTarget) -> Bool {
        target.destinations.contains { leads(to: $0) }
    }
}

extension ReachabilityTarget.Destination {
    /// Whether it is one machine, which may be this one, or a default route.
    fileprivate var isOne: Bool {
        if case .anybody = self { false } else { true }
    }

    /// How far packets to the address go.
    fileprivate var scope: ReachabilityFacts.Scope {
        guard case .host(let address) = self else { return .universe }
        if address.isLoopback { return .host }
        return address.isLinkLocal6 ? .link : .universe
    }
}
