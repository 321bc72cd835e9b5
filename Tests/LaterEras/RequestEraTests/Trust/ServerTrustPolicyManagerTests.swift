import CurlConnection
import OperationNetworking
import TestSupport

@testable import RequestEra

@Suite("The policies of a session", .timeLimit(.minutes(1)))
struct ServerTrustPolicyManagerTests {
    private let manager = ServerTrustPolicyManager(policies: [
        "api.example.com": .disableEvaluation, "::1": .disableEvaluation,
        "Bücher.example": .disableEvaluation,
    ])

    private func hasPolicy(_ host: String) -> Bool {
        if case .disableEvaluation? = manager.serverTrustPolicy(forHost: host) { return true }
        return false
    }

    @Test func `a host has the policy of its exact name, others have none`() {
        #expect(hasPolicy("api.example.com"))
        for host in ["example.com", "x.api.example.com", "api.example.com.evil.test", "", "."] {
            #expect(!hasPolicy(host), "\(host)")
        }
    }

    /// A redirect to another spelling would lead past the pins.
    @Test func `another spelling of the name is the same host`() {
        let hosts = [
            "API.Example.COM", "api.example.com.", "[::1]", "::1", "bücher.example",
            "xn--bcher-kva.example",
        ]
        for host in hosts { #expect(hasPolicy(host), "\(host)") }
    }

    @Test func `of two spellings each has its own, and the rest the later`() {
        let manager = ServerTrustPolicyManager(policies: [
            "A.test": .disableEvaluation, "a.test": .performDefaultEvaluation(validateHost: true),
        ])
        let isDisabled = ["A.test", "a.test", "A.TEST"].map { host in
            if case .disableEvaluation = manager.serverTrustPolicy(forHost: host) { return true }
            return false
        }
        #expect(isDisabled == [true, false, false])
    }

    @Test func `a connection without a policy of its own is judged by the system's rule`() throws {
        let checks = try ["https://api.example.com/", "https://other.example.com/"].map {
            let request = URLRequest(url: try #require(URL(string: $0)))
            return SecurityPolicy(manager.requirements(for: request)).allowInvalidCertificates
        }
        #expect(checks == [true, false])
    }

    @Test func `a connection whose policy is a closure is judged by the system's rule`() throws {
        let manager = ServerTrustPolicyManager(policies: [
            "a.test": .customEvaluation { _, _ in true }
        ])
        let url = try #require(URL(string: "https://a.test/"))
        let policy = SecurityPolicy(manager.requirements(for: URLRequest(url: url)))
        #expect(!policy.allowInvalidCertificates && policy.validatesDomainName)
    }

    @Test func `a subclass chooses for a whole domain`() throws {
        let manager = DomainPolicies(policies: [:])
        let url = try #require(URL(string: "https://x.example.com/"))
        let policy = SecurityPolicy(manager.requirements(for: URLRequest(url: url)))
        #expect(policy.allowInvalidCertificates)
    }
}

private final class DomainPolicies: ServerTrustPolicyManager, @unchecked Sendable {
    // @unchecked because it restates the superclass and adds nothing.
    override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? {
        host.hasSuffix(".example.com") ? .disableEvaluation : nil
    }
}
