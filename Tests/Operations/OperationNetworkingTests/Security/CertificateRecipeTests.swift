import CurlConnection
import OperationNetworking
import TLSPeer
import TestSupport

@Suite("Certificates as a strict client judges them", .timeLimit(.minutes(1)))
struct CertificateRecipeTests {
    private let authorities: CertificateRecipe.Authorities

    init() throws {
        authorities = try CertificateRecipe.Authorities()
    }

    private var policy: SecurityPolicy {
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [authorities.root.certificate]
        return policy
    }

    private func trust(_ recipe: CertificateRecipe) throws -> ServerTrust {
        ServerTrust(
            host: recipe.host, certificates: try recipe.make(authorities).map(\.certificate))
    }

    @Test func `R34, the 37 certificates of certs.py: 6 and the revoked one accepted, 30 refused`()
        throws
    {
        #expect(CertificateRecipe.good.count == 6)
        #expect(CertificateRecipe.bad.count == 30)
        try expectVerdicts(CertificateRecipe.good + [.revoked] + CertificateRecipe.bad)
    }

    @Test func `path lengths, uses, constraints and registries' wildcards count`() throws {
        try expectVerdicts(CertificateRecipe.further)
    }

    private func expectVerdicts(_ recipes: [CertificateRecipe]) throws {
        for recipe in recipes {
            let trust = try trust(recipe)
            let verdict = policy.explain(trust, forDomain: recipe.host)
            #expect(verdict.isAccepted == (recipe.refusal == nil), "\(recipe): \(verdict)")
            let judgement = TrustJudgement(of: trust, by: policy.requirements, host: recipe.host)
            #expect(judgement.errorCode == recipe.refusal?.code, "\(recipe): \(verdict)")
            let objections = verdict.reasons.filter(\.isObjection)
            let isOfName = recipe.refusal == .name
            #expect(objections.allSatisfy { ($0.kind == .host) == isOfName }, "\(recipe)")
        }
    }

    @Test func `a bad name stays bad when any chain is allowed`() throws {
        let policy = policy
        policy.allowInvalidCertificates = true
        for recipe in CertificateRecipe.bad where recipe.refusal == .name {
            // The subject names a host where chains are not judged (SP-12)
            let isAccepted = recipe.name == "cn-only"
            #expect(
                policy.evaluate(try trust(recipe), forDomain: recipe.host) == isAccepted,
                "\(recipe)")
        }
    }
}
