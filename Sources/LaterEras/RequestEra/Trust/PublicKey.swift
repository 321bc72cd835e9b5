public import Foundation
public import HTTPSemantics

/// The public key of a certificate, which a server's keys are compared with: what `SecKey` is on
/// Apple's systems.
///
/// Two are equal when their SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7) are, so a certificate
/// that was renewed with its key still matches.
public struct PublicKey: Sendable, Hashable {
    /// A certificate that has the key.
    let certificate: Certificate

    /// The key of a certificate.
    public init(_ certificate: Certificate) {
        self.certificate = certificate
    }

    /// The SubjectPublicKeyInfo in DER.
    public var der: Data { certificate.publicKey }

    /// Keys are equal when their bytes are.
    public static func == (left: PublicKey, right: PublicKey) -> Bool {
        left.der == right.der
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(der)
    }
}
