public import Foundation
import HTTPSemantics

extension SecurityPolicy {
    /// A policy with pins, which checks everything else as well.
    ///
    ///     let policy = try SecurityPolicy.pinning(.publicKey, to: SecurityPolicy.certificates(in:
    ///     .main))
    ///
    /// - Parameters:
    ///   - mode: what is compared; `none` compares nothing.
    ///   - certificates: leaf, intermediate or root; any one suffices (SP-8).
    /// - Throws: `SecurityPolicyError.noPins` or `.noPinningMode`, so that no policy only looks as
    ///   if it pinned (R43).
    public static func pinning(
        _ mode: PinningMode, to certificates: [Certificate]
    ) throws(SecurityPolicyError) -> SecurityPolicy {
        guard mode != .none else { throw .noPinningMode }
        let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: certificates)
        try policy.check()
        return policy
    }

    /// Whether the policy can accept any server at all.
    ///
    /// - Throws: `SecurityPolicyError.noPins` when pinning is on and there are no pins.
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
    /// - Parameter folder: its own files are read whose names end in `.cer`, `.crt`, `.der` or
    ///   `.pem`, in DER or in PEM; a file in PEM may have several certificates.
    /// - Throws: `SecurityPolicyError.noCertificates` when there is no such file, and `.unreadable`
    ///   with the file when one holds anything else, so that no pin is missing unnoticed.
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
