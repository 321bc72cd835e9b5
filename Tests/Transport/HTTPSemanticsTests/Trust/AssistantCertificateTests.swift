import COpenSSL
import TLSPeer
import TestSupport

@testable import HTTPSemantics

/// Certificates as the assistant of macOS's Keychain Access makes them.
@Suite("Certificates of macOS's assistant", .timeLimit(.minutes(5)))
struct AssistantCertificateTests {
    private let root: Identity
    private let leaf: Identity

    init() throws {
        root = try Self.authority("critical,anyExtendedKeyUsage")
        var form = Identity.Form("leaf", names: Cast.names)
        form.rsaBits = 2_048
        leaf = try Identity(form, signedBy: root)
    }

    private static func authority(
        _ usage: String?, _ change: (inout Identity.Form) -> Void = { _ in }
    ) throws -> Identity {
        var form = Identity.Form.authority("assistant's root")
        form.rsaBits = 2_048
        form.usage = usage
        change(&form)
        return try Identity(form)
    }

    private func verify(_ leaf: Certificate, below root: Identity) -> ChainVerification {
        ChainVerification([leaf], anchors: TrustAnchors([root.certificate]), at: nil)
    }

    @Test func `a root that is for any use signs a server's certificate`() throws {
        let found = verify(leaf.certificate, below: root)
        #expect(found.isValid, "\(found.problems)")
        #expect(found.chain == [leaf.certificate, root.certificate])
    }

    @Test func `a root that is for clients alone does not, nor one that signs none`() throws {
        for usage in ["critical,clientAuth", "codeSigning"] {
            let root = try Self.authority(usage)
            let leaf = try Identity(.init("leaf", names: Cast.names), signedBy: root)
            #expect(!verify(leaf.certificate, below: root).isValid)
        }
        let noAuthority = try Self.authority("anyExtendedKeyUsage") { $0.isAuthority = false }
        let leaf = try Identity(.init("leaf", names: Cast.names), signedBy: noAuthority)
        #expect(!verify(leaf.certificate, below: noAuthority).isValid)
        let noSigner = try Self.authority("anyExtendedKeyUsage") {
            $0.isAuthority = false
            $0.others = [("basicConstraints", "critical,CA:TRUE"), ("keyUsage", "cRLSign")]
        }
        let other = try Identity(.init("leaf", names: Cast.names), signedBy: noSigner)
        #expect(!verify(other.certificate, below: noSigner).isValid)
    }

    @Test func `an algorithm without its NULL inside and with it outside is the same one`() throws {
        let plain = try Self.authority(nil)
        var form = Identity.Form("leaf", names: Cast.names)
        form.rsaBits = 2_048
        let leaf = try Identity(form, signedBy: plain)
        let edited = try Self.edit(leaf.der, signedBy: plain) { _ in [] }
        let found = verify(edited, below: plain)
        #expect(found.isValid, "\(found.problems)")
        // What is signed was changed afterwards.
        let forged = try Self.edit(leaf.der, signedBy: leaf) { _ in [] }
        #expect(!verify(forged, below: plain).isValid)
        // Other parameters, and another algorithm.
        let others: [[UInt8]] = [[0x04, 0x00], [0x30, 0x00]]
        for parameters in others {
            let other = try Self.edit(leaf.der, signedBy: plain) { _ in parameters }
            #expect(!verify(other, below: plain).isValid)
        }
        let other = try Self.edit(leaf.der, signedBy: plain) { identifier in
            // sha384WithRSAEncryption in place of sha256WithRSAEncryption.
            identifier[identifier.count - 1] = 0x0C
            return []
        }
        #expect(!verify(other, below: plain).isValid)
    }

    /// Signs a certificate anew whose inner algorithm identifier has other parameters than NULL.
    ///
    /// - Parameter change: may change the object identifier; gives the parameters.
    private static func edit(
        _ der: Data, signedBy issuer: Identity, _ change: (inout [UInt8]) -> [UInt8]
    ) throws -> Certificate {
        let bytes = [UInt8](der)
        var identifier: [UInt8] = [
            0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B,
        ]
        let outer = sequence(identifier + [0x05, 0x00])
        let start = try #require(
            bytes.indices.first { bytes[$0...].starts(with: outer) }, "It is signed by RSA.")
        // Both sequences around have lengths of two bytes.
        let end = 8 + Int(bytes[6]) << 8 + Int(bytes[7])
        let parameters = change(&identifier)
        let inner = sequence(identifier + parameters)
        let signed = sequence(
            Array(bytes[8..<start]) + inner + Array(bytes[(start + outer.count)..<end]))
        let signature = try sign(signed, issuer)
        let certificate = sequence(
            signed + outer + [0x03] + length(signature.count + 1) + [0] + signature)
        return try Certificate(der: Data(certificate))
    }

    private static func sequence(_ content: [UInt8]) -> [UInt8] {
        [0x30] + length(content.count) + content
    }

    private static func length(_ count: Int) -> [UInt8] {
        count < 128 ? [UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 255)]
    }

    private static func sign(_ bytes: [UInt8], _ issuer: Identity) throws -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 512)
        var count = signature.count
        try #require(EVP_DigestSignInit(context, nil, EVP_sha256(), nil, issuer.key) == 1)
        try #require(EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1)
        return Array(signature.prefix(count))
    }
}
