/// What should be reached: one destination, or several of which one is enough.
package struct ReachabilityTarget: Equatable, Sendable {
    enum Destination: Equatable, Sendable {
        case host(NetworkAddress)
        /// Whatever other machine an interface with an address of its own leads to.
        case anybody
    }

    /// Checked in this order; the first that can be reached decides.
    let destinations: [Destination]

    /// The network in general: a way to a name server of the root, IPv4 before IPv6.
    package static let general = ReachabilityTarget(destinations: [
        .host(.rootServer4), .host(.rootServer6),
    ])

    /// Whatever other machine can be reached, also without a default route.
    static let anybody = ReachabilityTarget(destinations: [.anybody])

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
