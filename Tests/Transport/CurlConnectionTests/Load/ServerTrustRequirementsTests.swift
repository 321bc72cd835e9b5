import TLSPeer
import TestSupport

@testable import CurlConnection
@testable import HTTPSemantics

@Suite("What must hold of a server", .timeLimit(.minutes(5)))
struct ServerTrustRequirementsTests {
    @Test func `everything is verified unless the caller says otherwise`() {
        let requirements = ServerTrustRequirements()
        #expect(requirements.verifiesChain)
        #expect(requirements.verifiesHost)
        #expect(requirements.anchors == nil)
        #expect(requirements.pinning == .none)
        #expect(requirements.time == nil)
    }

    @Test func `each difference makes another key`() throws {
        let base = ServerTrustRequirements()
        let root = try Cast().root
        let (certificate, list) = (root.certificate, try root.revocationList())
        let changes: [(inout ServerTrustRequirements) -> Void] = [
            { $0.verifiesChain = false }, { $0.verifiesHost = false }, { $0.anchors = [] },
            { $0.anchors = [certificate] }, { $0.pinning = .publicKeys },
            { $0.pinning = .certificates }, { $0.pins = [certificate] },
            { $0.time = .distantPast }, { $0.revocationLists = [list] },
        ]
        let others = changes.map { change in
            var other = base
            change(&other)
            return other
        }
        #expect(Set(others + [base]).count == changes.count + 1)
    }

    @Test func `two requirements never share a connection`() throws {
        try withWorld { world in
            // Given a kept connection of each requirement
            for verifies in [true, false, true, false] {
                let recorder = Recorder()
                world.thread.start(world.request("/ok"), recorder) {
                    $0.trustRequirements.verifiesHost = verifies
                }
                #expect(recorder.atEnd().text == "hello world")
            }
            // Then each is used again by its own requirement alone
            #expect(world.server.requests.map(\.connection) == [1, 2, 1, 2])
        }
    }
}
