import HTTPSemantics
import TestSupport

@testable import RequestEra

@Suite("Client certificates of requests", .timeLimit(.minutes(1)))
struct ClientCertificateTests {
    @Test
    func `the delegate's closure of a session, and the credential of a request, are shown`()
        async throws
    {
        let authority = try TLSIdentity(.authority("client root"))
        let client = try TLSIdentity(.client("somebody"), signedBy: authority)
        let identity = try TLSIdentity(.loopback)
        var settings = TLSSettings(identity)
        settings.clientCertificate = .demanded
        settings.clientAuthorities = [authority.der]
        let server = LoopbackServer.started(tls: settings)
        defer { server.stop() }
        let credential = try ClientCertificateCredential(
            certificates: [Certificate(der: client.der)], privateKey: client.keyPEM)
        func manager() throws -> SessionManager {
            SessionManager(
                configuration: .ephemeral,
                serverTrustPolicyManager: ServerTrustPolicyManager(policies: [
                    "127.0.0.1": .pinCertificates(
                        certificates: [try Certificate(der: identity.der)],
                        validateCertificateChain: true, validateHost: true)
                ]))
        }
        let plain = try manager()
        let refused = await plain.request(server.url("/ok")).ended()
        #expect((refused.error as? URLError)?.code == .clientCertificateRequired)
        let own = await plain.request(server.url("/ok"))
            .authenticate(usingCredential: credential).ended()
        #expect(own.response?.statusCode == 200)
        #expect(server.handshakes.last?.clientSubject == "CN = somebody")
        let closure = try manager()
        closure.delegate.taskDidReceiveChallenge = { _, _, challenge in
            challenge.protectionSpace.peerTrust.map {
                (.useCredential, PeerTrustCredential(peerTrust: $0))
            } ?? (.useCredential, credential)
        }
        #expect(await closure.request(server.url("/ok")).ended().response?.statusCode == 200)
        #expect(server.statistics.requests == 2)
    }
}
