/// Interfaces, addresses and routes as the kernel tells them, and the status that follows.
///
/// A pure value: equal facts, equal status. `status(for:)` repeats the kernel's choice of a route
/// and then asks whether that route can carry a packet.
struct ReachabilityFacts: Equatable, Sendable {
    struct Interface: Equatable, Sendable {
        var name: String
        /// The kernel's ARPHRD number: 1 Ethernet, 512 PPP, 772 loopback, …
        var hardwareType: UInt16 = 1
        /// Switched on.
        var isUp = true
        /// Switched on and with a carrier.
        var isRunning = true
        var isLoopback = false

        /// A mobile network's, by name or hardware type.
        ///
        /// PPP over a telephone line or DSL looks the same and counts too.
        var isWWAN: Bool {
            let names = ["wwan", "wwp", "ppp", "rmnet"]
            let types: [UInt16] = [512, 519]  // PPP, raw IP
            return types.contains(hardwareType) || names.contains { name.hasPrefix($0) }
        }
    }

    /// That an interface has an address packets can come from; which one does not matter.
    struct Source: Hashable, Sendable {
        var interface: Int
        var family: NetworkAddress.Family
        var scope: Scope
    }

    /// How far an address or route is valid, in the kernel's numbers: smaller is farther.
    struct Scope: RawRepresentable, Hashable, Sendable {
        var rawValue: UInt8

        static let universe = Scope(rawValue: 0)
        static let link = Scope(rawValue: 253)
        static let host = Scope(rawValue: 254)
    }

    struct Route: Hashable, Sendable {
        enum Kind: Sendable {
            /// Sends packets on, or takes them in here.
            case delivers
            /// Turns packets back: unreachable, blackhole, prohibit.
            case refuses
            /// Sends the search on to the next table: throw.
            case passes
        }

        var kind = Kind.delivers
        var family: NetworkAddress.Family
        /// As many bytes as the family has; all zero for a default route.
        var destination: [UInt8]
        /// Bits of the destination that count.
        var prefixLength = 0
        var table: UInt32 = 254
        /// Of equal routes the smallest wins.
        var metric: UInt32 = 0
        var scope = Scope.universe
        /// The interfaces it leads over; several for a multipath route.
        var interfaces: [Int]
    }

    var interfaces: [Int: Interface] = [:]
    var sources: Set<Source> = []
    var routes: Set<Route> = []

    // MARK: - Status

    /// The status of the first destination that can be reached.
    func status(for target: ReachabilityTarget) -> NetworkReachabilityStatus {
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
        let tables = Set(candidates.map(\.table)).sorted { Self.rank($0) < Self.rank($1) }
        for table in tables {
            let best = Self.best(of: candidates.filter { $0.table == table })
            if best.contains(where: { $0.kind == .passes }) { continue }
            return status(over: best, to: destination)
        }
        return .notReachable
    }

    /// The kernel's order: local addresses, the main table, the default table. Further tables are
    /// reached by rules of the administrator's, which are not read here; they come last.
    private static func rank(_ table: UInt32) -> UInt64 {
        switch table {
        case 255: 0
        case 254: 1
        case 253: 2
        default: 3 + UInt64(table)
        }
    }

    /// The routes none is preferred to: longest prefix, then smallest metric.
    private static func best(of routes: Set<Route>) -> [Route] {
        let length = routes.map(\.prefixLength).max()
        let longest = routes.filter { $0.prefixLength == length }
        let metric = longest.map(\.metric).min()
        return longest.filter { $0.metric == metric }
    }

    /// All its interfaces are switched off; the kernel then looks further.
    private func isDead(_ route: Route) -> Bool {
        route.kind == .delivers
            && !route.interfaces.contains { interfaces[$0]?.isUp == true }
    }

    /// Several routes share the load; one way is enough, and WiFi is named before WWAN.
    private func status(
        over routes: [Route], to destination: ReachabilityTarget.Destination
    ) -> NetworkReachabilityStatus {
        var status = NetworkReachabilityStatus.notReachable
        for route in routes where route.kind == .delivers {
            for number in route.interfaces {
                guard let interface = interfaces[number], interface.isUp, interface.isRunning,
                    hasSource(for: destination, over: route, from: number)
                else { continue }
                if !interface.isWWAN { return .reachableViaWiFi }
                status = .reachableViaWWAN
            }
        }
        return status
    }

    /// Whether packets have an address to come from, valid as far as they go.
    ///
    /// The interface's own, or one with more than link scope of a loopback interface, as routers
    /// and tunnels without own addresses use them.
    private func hasSource(
        for destination: ReachabilityTarget.Destination, over route: Route, from number: Int
    ) -> Bool {
        // IPv6 routes carry no scope; there the destination's decides.
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

    /// Without what cannot matter to these routes, so that other changes make no difference.
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
        case .host(let address):
            // A link-local address is bound to its interface; a refusal concerns them all.
            let isOnItsWay =
                !address.isLinkLocal6 || address.interface == 0 || kind != .delivers
                || interfaces.contains(address.interface)
            return isOnItsWay && address.hasPrefix(self.destination, length: prefixLength)
        }
    }

    func leads(to target: ReachabilityTarget) -> Bool {
        target.destinations.contains { leads(to: $0) }
    }
}

extension ReachabilityTarget.Destination {
    /// How far packets to it go.
    fileprivate var scope: ReachabilityFacts.Scope {
        guard case .host(let address) = self else { return .universe }
        if address.isLoopback { return .host }
        return address.isLinkLocal6 ? .link : .universe
    }
}
