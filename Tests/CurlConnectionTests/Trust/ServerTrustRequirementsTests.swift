import Foundation
import FoundationNetworking
import LoopbackServer
import Testing

@testable import CurlConnection

@Suite("What must hold of a server", .timeLimit(.minutes(1)))
struct ServerTrustRequirementsTests {
    @Test func `everything is verified unless the caller says otherwise`() {
        let requirements = ServerTrustRequirements()
        #expect(requirements.verifiesChain)
        #expect(requirements.verifiesHost)
        #expect(requirements.anchorsFile == nil)
    }

    @Test func `each difference makes another key`() {
        let base = ServerTrustRequirements()
        var others = [base, base, base]
        others[0].verifiesChain = false
        others[1].verifiesHost = false
        others[2].anchorsFile = "/some.pem"
        #expect(Set(others + [base]).count == 4)
    }

    @Test func `the caller's anchors go before all others`() {
        var requirements = ServerTrustRequirements()
        requirements.anchorsFile = "/mine.pem"
        #expect(requirements.effectiveAnchorsFile == "/mine.pem")
    }

    @Test func `SSL_CERT_FILE names the anchors when the caller does not`() async {
        await #expect(processExitsWith: .success) {
            setenv("SSL_CERT_FILE", "/from-the-environment.pem", 1)
            #expect(
                ServerTrustRequirements().effectiveAnchorsFile == "/from-the-environment.pem")
        }
    }

    @Test func `two requirements never share a connection`() throws {
        try withFixture { fixture in
            // Given a kept connection of each requirement
            for verifies in [true, false, true, false] {
                let recorder = Recorder()
                fixture.thread.start(fixture.request("/ok"), recorder) {
                    $0.trustRequirements.verifiesHost = verifies
                }
                #expect(recorder.atEnd().text == "hello world")
            }
            // Then each is used again by its own requirement alone
            #expect(fixture.server.requests.map(\.connection) == [1, 2, 1, 2])
        }
    }
}
