import CurlConnection
import OperationNetworking
import TLSPeer
import TestSupport

@Suite("A policy that pins", .timeLimit(.minutes(1)))
struct PinnedPolicyTests {
    private let cast: Cast

    init() throws {
        cast = try Cast()
    }

    @Test func `R43, a pinning mode without pins is an error when it is made`() throws {
        for mode in [SecurityPolicy.PinningMode.publicKey, .certificate] {
            #expect(throws: SecurityPolicyError.noPins) {
                try SecurityPolicy.pinning(mode, to: [])
            }
            let policy = try SecurityPolicy.pinning(mode, to: [cast.good.certificate])
            #expect(policy.pinningMode == mode)
            #expect(policy.pinnedCertificates == [cast.good.certificate])
            #expect(policy.validatesDomainName && !policy.allowInvalidCertificates)
        }
        #expect(throws: SecurityPolicyError.noPinningMode) {
            try SecurityPolicy.pinning(.none, to: [cast.good.certificate])
        }
    }

    @Test func `R43, a policy that got no pins fails its check, whatever is switched off`() throws {
        for mode in [SecurityPolicy.PinningMode.publicKey, .certificate] {
            let policy = SecurityPolicy(pinningMode: mode)
            policy.allowInvalidCertificates = true
            #expect(throws: SecurityPolicyError.noPins) { try policy.check() }
            policy.pinnedCertificates = [cast.good.certificate]
            #expect(throws: Never.self) { try policy.check() }
        }
        let unpinned = SecurityPolicy.default()
        unpinned.pinnedCertificates = [cast.good.certificate]
        #expect(throws: Never.self) { try unpinned.check() }
    }

    @Test func `the errors have numbers and sentences`() {
        let url = URL(fileURLWithPath: "/a")
        let errors: [SecurityPolicyError] = [
            .noPins, .noPinningMode, .unreadable(url), .noCertificates(url),
        ]
        #expect(errors.map { ($0 as NSError).code } == [1, 2, 3, 4])
        #expect(errors.allSatisfy { $0.localizedDescription.hasSuffix(".") })
    }

    @Test func `a folder gives its certificates by file name, each once`() throws {
        let (good, middle, root) = (
            cast.good.certificate, cast.middle.certificate, cast.root.certificate
        )
        try withFolder([
            "c.cer": good.der, "a.PEM": middle.der.asPEM + root.der.asPEM, "b.der": root.der,
            "d.crt": good.der.asPEM, "notes.txt": Data("no certificate".utf8),
        ]) { folder in
            #expect(try SecurityPolicy.certificates(in: folder) == [middle, root, good])
            let bundle = try #require(Bundle(path: folder.path))
            #expect(try SecurityPolicy.certificates(in: bundle) == [middle, root, good])
        }
    }

    @Test func `a folder that gives none, or a file that is none, is an error`() throws {
        try withFolder(["notes.txt": Data()]) { folder in
            #expect(throws: SecurityPolicyError.noCertificates(folder)) {
                try SecurityPolicy.certificates(in: folder)
            }
            let missing = folder.appendingPathComponent("missing")
            #expect(throws: SecurityPolicyError.unreadable(missing)) {
                try SecurityPolicy.certificates(in: missing)
            }
        }
        for bytes in [Data(), Data("x".utf8), cast.good.certificate.der.dropLast()] {
            try withFolder(["good.der": cast.good.certificate.der, "pin.cer": bytes]) { folder in
                let error = #expect(throws: SecurityPolicyError.self) {
                    try SecurityPolicy.certificates(in: folder)
                }
                #expect(error?.localizedDescription.contains("pin.cer") == true)
            }
        }
    }

    private func withFolder(_ files: [String: Data], _ body: (URL) throws -> Void) throws {
        let folder = TemporaryFolder()
        for (name, bytes) in files { _ = try folder.write(name, bytes) }
        try body(folder.url)
    }
}
