import TLSPeer
import TestSupport

@testable import HTTPSemantics

@Suite("A server's certificate that is trusted by itself", .timeLimit(.minutes(5)))
struct TrustedLeafTests {
    private let cast: Cast
    private let expired: Identity
    private let leaf: Identity

    init() throws {
        cast = try Cast()
        var form = Identity.Form.authority("old intermediate")
        form.start = -5_184_000
        form.end = -2_592_000
        expired = try Identity(form, signedBy: cast.root)
        leaf = try Identity(.init("leaf", names: Cast.names), signedBy: expired)
    }

    private func judge(
        _ sent: [Identity], _ change: (inout ServerTrustRequirements) -> Void
    ) -> TrustJudgement {
        var requirements = ServerTrustRequirements()
        change(&requirements)
        let trust = ServerTrust(host: "localhost", certificates: sent.map(\.certificate))
        return TrustJudgement(of: trust, by: requirements, host: "localhost")
    }

    private func pinned(_ sent: [Identity], to pin: Identity) -> TrustJudgement {
        judge(sent) {
            $0.anchors = [pin.certificate]
            $0.pinning = .certificates
            $0.pins = [pin.certificate]
        }
    }

    @Test func `it ends the chain, whatever the server sends of authorities above it`() throws {
        // Bears the name of the one that signed, and has another key.
        let namesake = try Identity(.authority("old intermediate"), signedBy: cast.root)
        for above in [[expired], [expired, cast.root], [namesake], [cast.middle], []] {
            let judgement = pinned([leaf] + above, to: leaf)
            #expect(judgement.isAccepted, "\(above.count): \(judgement.objections)")
            let anchors = TrustAnchors([leaf.certificate])
            let chain = ChainVerification(
                ([leaf] + above).map(\.certificate), anchors: anchors, at: nil)
            #expect(chain.isValid && chain.chain.first == leaf.certificate)
        }
    }

    @Test func `a pin of its key does the same`() {
        let judgement = judge([leaf, expired]) {
            $0.anchors = [leaf.certificate]
            $0.pinning = .publicKeys
            $0.pins = [leaf.certificate]
        }
        #expect(judgement.isAccepted, "\(judgement.objections)")
    }

    @Test func `what is wrong with it itself refuses as before`() throws {
        let cases: [(URLError.Code, (inout Identity.Form) -> Void)] = [
            (.serverCertificateHasBadDate, { $0.end = -3_600 }),
            (.serverCertificateUntrusted, { $0.usage = "clientAuth" }),
            (.serverCertificateUntrusted, { $0.rsaBits = 1_024 }),
        ]
        for (code, change) in cases {
            var form = Identity.Form("leaf", names: Cast.names)
            change(&form)
            let leaf = try Identity(form, signedBy: expired)
            let judgement = pinned([leaf, expired], to: leaf)
            #expect(!judgement.isAccepted)
            #expect(judgement.errorCode == code)
        }
        // Another certificate than the trusted one, signed by the same authority.
        let other = try Identity(.init("leaf", names: Cast.names), signedBy: expired)
        #expect(!pinned([other, expired, leaf], to: leaf).isAccepted)
        #expect(!pinned([other, expired], to: expired).isAccepted)
    }

    @Test func `a list that takes it or its authority back refuses it`() throws {
        let lists = [try expired.revocationList(of: [leaf.certificate])]
        let judgement = judge([leaf, expired]) {
            $0.anchors = [leaf.certificate]
            $0.revocationLists = lists
        }
        #expect(!judgement.isAccepted)
        let above = try cast.root.revocationList(of: [expired.certificate])
        let own = try expired.revocationList(of: [])
        let taken = judge([leaf, expired]) {
            $0.anchors = [leaf.certificate, cast.root.certificate]
            $0.revocationLists = [own, above]
        }
        #expect(!taken.isAccepted)
    }
}
