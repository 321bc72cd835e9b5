public import Foundation
public import HTTPSemantics

// What a program carries with it: the files among its resources.

extension ServerTrustPolicy {
    /// The certificates among a bundle's resources, sorted by file name.
    ///
    /// Files that end in `.cer`, `.crt` or `.der` are read, in DER; one that holds anything else is
    /// skipped. Where none is left, a policy that pins them refuses every server.
    ///
    /// PEM is skipped as on Apple's systems, since each certificate that is found becomes a pin, and with
    /// a check of the chain an anchor: a `.crt` in PEM often has all authorities of a system.
    /// `Certificate.all(pem:)` reads a file that is meant.
    public static func certificates(in bundle: Bundle = .main) -> [Certificate] {
        files(in: bundle, endings: ["cer", "crt", "der"]).compactMap { try? Certificate(der: $0) }
    }

    /// The public keys of `certificates(in:)`.
    public static func publicKeys(in bundle: Bundle = .main) -> [PublicKey] {
        certificates(in: bundle).map(PublicKey.init)
    }

    /// The lists of revoked certificates among a bundle's resources, sorted by file name.
    ///
    /// Files that end in `.crl` are read, in DER or in PEM; one that holds anything else is skipped.
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
