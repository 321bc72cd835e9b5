/// What should be reached: one destination, or several of which one is enough.
package struct ReachabilityTarget: Equatable, Sendable {
    enum Destination: Equatable, Sendable {
        /// Any destination of a default route of the family.
        case anywhere(NetworkAddress.Family)
        /// Any other machine that any route of the family leads to.
        case anybody(NetworkAddress.Family)
        case host(NetworkAddress)
    }

    /// Checked in this order; the first that can be reached decides.
    let destinations: [Destination]

    /// The network in general: a default route, IPv4 before IPv6.
    package static let general = ReachabilityTarget(destinations: [
        .anywhere(.ipv4), .anywhere(.ipv6),
    ])

    /// Whatever other machine can be reached, also without a default route.
    static let anybody = ReachabilityTarget(destinations: [.anybody(.ipv4), .anybody(.ipv6)])

    private init(destinations: [Destination]) {
        self.destinations = destinations
    }

    /// The unspecified address means the network in general.
    init(_ address: NetworkAddress) {
        self = address.isUnspecified ? .general : Self(destinations: [.host(address)])
    }

    /// A name is not looked up, because a look-up could block and its result would become outdated.
    ///
    /// A numeric address stands for itself. `localhost` and names under it stand for the loopback
    /// addresses (RFC 6761 section 6.3), every other name for the network in general, an empty one
    /// for nothing.
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
