public import Foundation
public import HTTPSemantics

extension SecurityPolicy {
    /// A policy that compares a server's certificates with pins, after all other checks.
    ///
    ///     let policy = try SecurityPolicy.pinning(.publicKey, to: SecurityPolicy.certificates(in:
    ///     .main))
    ///
    /// - Parameters:
    ///   - mode: what is compared; not `none`.
    ///   - certificates: leaf, intermediate or root certificates, one of which must match.
    /// - Throws: `SecurityPolicyError.noPins` or `.noPinningMode`.
    public static func pinning(
        _ mode: PinningMode, to certificates: [Certificate]
    ) throws(SecurityPolicyError) -> SecurityPolicy {
        guard mode != .none else { throw .noPinningMode }
        let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: certificates)
        try policy.check()
        return policy
    }

    /// Checks that the policy can accept a server.
    ///
    /// - Throws: `SecurityPolicyError.noPins` if pinning is on and there are no pins.
    public func check() throws(SecurityPolicyError) {
        if pinningMode != .none, pinnedCertificates.isEmpty { throw .noPins }
    }

    /// The certificates in a bundle's resources, where AFNetworking looked for its pins.
    ///
    /// - Throws: as `certificates(in:)` of a folder does.
    public static func certificates(
        in bundle: Bundle
    ) throws(SecurityPolicyError) -> [Certificate] {
        try certificates(in: bundle.resourceURL ?? bundle.bundleURL)
    }

    /// The certificates in a folder, sorted by file name, each once.
    ///
    /// - Parameter folder: its files whose names end in `.cer`, `.crt`, `.der` or `.pem` are read, in DER
    ///   or in PEM; a file in PEM may have several certificates. Folders in it are not read.
    /// - Throws: `SecurityPolicyError.noCertificates` if there is no such file, and `.unreadable` with the
    ///   file if one has anything else in it, so that no pin is missed.
    public static func certificates(
        in folder: URL
    ) throws(SecurityPolicyError) -> [Certificate] {
        let files: [URL]
        do {
            files = try FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil)
        } catch {
            throw .unreadable(folder)
        }
        let endings: Set = ["cer", "crt", "der", "pem"]
        let chosen = files.filter { endings.contains($0.pathExtension.lowercased()) }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
        guard !chosen.isEmpty else { throw .noCertificates(folder) }
        var found: [Certificate] = []
        for file in chosen {
            found += try certificates(of: file)
        }
        return found.withoutRepetitions
    }

    private static func certificates(of file: URL) throws(SecurityPolicyError) -> [Certificate] {
        guard let bytes = try? Data(contentsOf: file) else { throw .unreadable(file) }
        if let one = try? Certificate(der: bytes) { return [one] }
        guard let several = try? Certificate.all(pem: bytes), !several.isEmpty else {
            throw .unreadable(file)
        }
        return several
    }
}

/// Why a security policy can accept no server or cannot be made. The codes never change.
public enum SecurityPolicyError: NumberedError, Hashable, Sendable {
    /// 1: pinning is on, and there are no pins.
    case noPins
    /// 2: there are pins, and the mode ignores them.
    case noPinningMode
    /// 3: a folder cannot be listed, or one of its certificate files cannot be read.
    case unreadable(URL)
    /// 4: a folder has no file with a certificate.
    case noCertificates(URL)

    /// `OperationNetworking.SecurityPolicyError`.
    public static var errorDomain: String { "OperationNetworking.SecurityPolicyError" }

    package var numbered: (number: Int, sentence: String) {
        switch self {
        case .noPins:
            (
                1,
                "The security policy has a pinning mode and no pinned certificate, so it would refuse "
                    + "every server; set pinnedCertificates."
            )
        case .noPinningMode:
            (
                2,
                "The pinning mode is none, so the pinned certificates would be ignored; choose "
                    + "certificate or publicKey."
            )
        case .unreadable(let url):
            (3, "The file \(url.path) has no certificate that can be read, in DER or PEM.")
        case .noCertificates(let url):
            (4, "No file in \(url.path) ends in .cer, .crt, .der or .pem.")
        }
    }
}
