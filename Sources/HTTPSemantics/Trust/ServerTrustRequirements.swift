package import Foundation

/// What must hold of a server before a byte of a request goes to it.
///
/// Distinct requirements never share a connection or a TLS session: each value has a pool of its
/// own (`RunLoopTransport`), so a connection accepted under one can never serve another.
package struct ServerTrustRequirements: Hashable, Sendable {
    /// Which part of a server's certificates must be known beforehand.
    package enum Pinning: Hashable, Sendable {
        case none, publicKeys, certificates
    }

    /// Whether the chain must lead to an anchor and every certificate in it be valid.
    package var verifiesChain = true
    /// Whether the certificate must name the host that was asked for.
    package var verifiesHost = true
    /// The certificates to trust instead of the system's; nil means the system's.
    package var anchors: [Certificate]?
    package var pinning = Pinning.none
    /// What pinning compares with; any one on the way from the server to an anchor suffices.
    package var pins: [Certificate] = []
    /// What authorities took back; empty means that nobody looks.
    package var revocationLists: [CertificateRevocationList] = []
    /// The moment to judge for; nil means now.
    package var time: Date?

    package init() {}

    /// Of the lists only the length: they may be long, this is asked for each request, and a
    /// process has few values that differ.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(verifiesChain)
        hasher.combine(verifiesHost)
        hasher.combine(anchors?.count)
        hasher.combine(pinning)
        hasher.combine(pins.count)
        hasher.combine(revocationLists.count)
        hasher.combine(time)
    }
}
