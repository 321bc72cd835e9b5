import TLSPeer
import TestSupport

@testable import HTTPSemantics

@Suite("Chains", .timeLimit(.minutes(5)))
struct ChainVerificationTests {
    private let cast: Cast
    private let anchors: TrustAnchors

    init() throws {
        cast = try Cast()
        anchors = TrustAnchors([cast.root.certificate])
    }

    private func verify(_ identities: Identity..., at time: Date? = nil) -> ChainVerification {
        ChainVerification(identities.map(\.certificate), anchors: anchors, at: time)
    }

    @Test func `a chain ends at the anchor, in order, without what does not belong`() throws {
        let stranger = try Identity(.authority("stranger"))
        for sent in [
            verify(cast.good, cast.middle), verify(cast.good, cast.middle, cast.root),
            verify(cast.good, stranger, cast.middle, cast.middle),
        ] {
            #expect(sent.isValid)
            #expect(
                sent.chain == [cast.good, cast.middle, cast.root].map(\.certificate))
        }
    }

    @Test func `an intermediate can be the anchor`() {
        let anchors = TrustAnchors([cast.middle.certificate])
        let chain = ChainVerification([cast.good.certificate], anchors: anchors, at: nil)
        #expect(chain.chain == [cast.good, cast.middle].map(\.certificate))
    }

    @Test func `a problem is reported, and there is no chain`() throws {
        let expired = try cast.leaf { $0.end = -3_600 }
        let future = try cast.leaf { $0.start = 3_600 }
        let client = try cast.leaf { $0.usage = "clientAuth" }
        let weak = try cast.leaf { $0.rsaBits = 1_024 }
        let old = try cast.leaf { $0.usesSHA1 = true }
        let ownSigned = try Identity(.init("own", names: Cast.names))
        let ofALeaf = try Identity(.init("x", names: Cast.names), signedBy: cast.good)
        // A certificate that names the intermediate as issuer but has another's signature
        let forged = try Identity(
            .init("forged", names: Cast.names),
            signedBy: Identity(.authority("test intermediate")))
        let table: [(ChainVerification, URLError.Code)] = [
            (verify(expired, cast.middle), .serverCertificateHasBadDate),
            (verify(future, cast.middle), .serverCertificateNotYetValid),
            (verify(client, cast.middle), .serverCertificateUntrusted),
            (verify(weak, cast.middle), .serverCertificateUntrusted),
            (verify(old, cast.middle), .serverCertificateUntrusted),
            (verify(ownSigned), .serverCertificateHasUnknownRoot),
            (verify(cast.good), .serverCertificateHasUnknownRoot),
            (verify(ofALeaf, cast.good, cast.middle), .serverCertificateUntrusted),
            (verify(forged, cast.middle), .serverCertificateUntrusted),
            (verify(), .serverCertificateUntrusted),
        ]
        for (index, (result, code)) in table.enumerated() {
            #expect(!result.isValid, "row \(index)")
            #expect(result.chain.isEmpty, "row \(index)")
            #expect(result.problems.first?.errorCode == code, "row \(index): \(result.problems)")
        }
    }

    @Test func `each of several problems is reported`() throws {
        let bad = try Identity(Identity.Form.expired("bad", usage: "clientAuth"))
        let result = verify(bad)
        #expect(result.problems.contains { $0.concernsTime })
        #expect(result.problems.contains { !$0.concernsTime })
        #expect(Set(result.problems).count == result.problems.count)
    }

    @Test func `dates are judged for the moment that is given`() throws {
        let expired = try cast.leaf { $0.end = -3_600 }
        #expect(verify(expired, cast.middle, at: Date(timeIntervalSinceNow: -7_200)).isValid)
        #expect(!verify(cast.good, cast.middle, at: Date(timeIntervalSinceNow: 10_000_000)).isValid)
        #expect(!verify(cast.good, cast.middle, at: .distantPast).isValid)
        #expect(!verify(cast.good, cast.middle, at: .distantFuture).isValid)
        let never = Date(timeIntervalSince1970: .nan)
        #expect(!verify(cast.good, cast.middle, at: never).isValid)
    }

    @Test func `no anchor, no valid chain`() {
        let chain = ChainVerification(
            [cast.root.certificate], anchors: TrustAnchors([Certificate]()), at: nil)
        #expect(!chain.isValid)
    }

    @Test func `the variables name the anchors instead of the system's, and both are heeded later`()
        async
    {
        await #expect(processExitsWith: .success) {
            let cast = try Cast()
            let file = FileManager.default.temporaryDirectory
                .appendingPathComponent("anchors-\(UUID().uuidString).pem").path
            func isValid() -> Bool {
                ChainVerification(
                    cast.trust(cast.good).certificates, anchors: .system, at: nil
                ).isValid
            }
            // Given the system's own roots, then a file that is missing, then one that is there
            #expect(!isValid())
            setenv("SSL_CERT_FILE", file + ".missing", 1)
            #expect(!isValid())
            try cast.root.certificate.der.asPEM.write(to: URL(fileURLWithPath: file))
            defer { try? FileManager.default.removeItem(atPath: file) }
            setenv("SSL_CERT_FILE", file, 1)
            #expect(isValid())
            #expect(TrustAnchors.system === TrustAnchors.system)
        }
    }
}

extension Identity.Form {
    fileprivate static func expired(_ name: String, usage: String) -> Identity.Form {
        var form = Identity.Form(name, names: Cast.names)
        form.end = -3_600
        form.usage = usage
        return form
    }
}
