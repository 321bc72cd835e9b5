public import Foundation
public import HTTPSemantics

// Files among a program's resources.

extension ServerTrustPolicy {
    /// The certificates among a bundle's resources, sorted by file name.
    ///
    /// Files that end in `.cer`, `.crt` or `.der` are read, in DER; one with anything else in it is
    /// skipped. Where none is left, a policy that pins them refuses every server.
    ///
    /// PEM is skipped as on Apple's systems, since each certificate that is found becomes a pin,
    /// and with a check of the chain an anchor. A `.crt` in PEM often has all authorities of a
    /// system. `Certificate.all(pem:)` reads a file of the program's choice.
    public static func certificates(in bundle: Bundle = .main) -> [Certificate] {
        files(in: bundle, endings: ["cer", "crt", "der"]).compactMap { try? Certificate(der: $0) }
    }

    /// The public keys of `certificates(in:)`.
    public static func publicKeys(in bundle: Bundle = .main) -> [PublicKey] {
        certificates(in: bundle).map(PublicKey.init)
    }

    /// The lists of revoked certificates among a bundle's resources, sorted by file name.
    ///
    /// Files that end in `.crl` are read, in DER or in PEM; one with anything else in it is
    /// skipped.
    public static func revocationLists(in bundle: Bundle = .main) -> [CertificateRevocationList] {
        files(in: bundle, endings: ["crl"]).flatMap { bytes in
            if let list = try? CertificateRevocationList(der: bytes) { return [list] }
            return (try? CertificateRevocationList.all(pem: bytes)) ?? []
        }
    }

    private static func files(in bundle: Bundle, endings: Set<String>) -> [Data] {
        let folder = bundle.resourceURL ?? bundle.bundleURL
        let files = try? FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).filter { endings.contains($0.pathExtension.lowercased()) }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .compactMap { try? Data(contentsOf: $0) }
    }
}

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
