import TLSPeer
import TestSupport

@testable import CurlConnection

@Suite("What is remembered of a server on a kept connection", .timeLimit(.minutes(5)))
struct KeptTrustTests {
    private func server(_ world: TestWorld) throws -> TLSServer {
        try TLSServer(world.cast.settings)
    }

    @Test func `the certificates are read once for a host, and again for another`() throws {
        try withWorld { world in
            let server = try server(world)
            var shown: [ServerTrust] = []
            for host in ["localhost", "localhost", "LOCALHOST", "localhost"] {
                let trust = Box<ServerTrust>()
                let recorder = Recorder()
                recorder.onChallenge = {
                    trust.value = $0.protectionSpace.peerTrust
                    $0.acceptPeer()
                }
                #expect(world.load(try server.url(host), recorder).text == "ok")
                shown.append(try #require(trust.value))
            }
            #expect(shown.map(\.host) == ["localhost", "localhost", "LOCALHOST", "localhost"])
            #expect(shown.allSatisfy { $0.certificates == shown[0].certificates })
            #expect(shown[0].certificates.count == 2)
            #expect(shown[0] === shown[1])
            #expect(shown[1] !== shown[2])
            #expect(server.stop().handshakes == 1)
        }
    }

    @Test func `what was read on one connection is not taken for what another shows`() throws {
        try withWorld { world in
            let first = try server(world)
            let second = try TLSServer(.init(try Identity(.init("own")), chain: []))
            var counts: [Int?] = []
            for url in [try first.url("localhost"), try second.url("localhost")] {
                let count = Box<Int>()
                let recorder = Recorder()
                recorder.onChallenge = {
                    count.value = $0.protectionSpace.peerTrust?.certificates.count
                    $0.acceptPeer()
                }
                #expect(world.load(url, recorder).text == "ok")
                counts.append(count.value)
            }
            #expect(counts == [2, 1])
            _ = first.stop()
            _ = second.stop()
        }
    }

    @Test func `a delegate is asked for each request on a kept connection, and may answer anew`()
        throws
    {
        try withWorld { world in
            let server = try server(world)
            let root = world.cast.root.certificate
            let other = try Identity(.init("another")).certificate
            let url = try server.url("localhost")
            // By the same as the connection's, by others that hold, by others that do not
            for row in 0..<3 {
                var own = ServerTrustRequirements()
                own.anchors = [root]
                var others = own
                if row > 0 {
                    others.pinning = .publicKeys
                    others.pins = [row == 1 ? root : other]
                }
                let recorder = Recorder()
                recorder.onChallenge = { [others] in $0.judge(by: others) }
                let heard = world.load(URLRequest(url: url), recorder) { [own] in
                    $0.trustRequirements = own
                }
                #expect(heard.code == (row == 2 ? .userCancelledAuthentication : nil))
                #expect(heard.count(.challenge) == 1)
            }
            let journal = server.stop()
            #expect(journal.requests == ["1 /", "1 /"])
            #expect(journal.handshakes == 1)
        }
    }

    @Test func `requirements of a delegate can accept what the connection's refuse`() throws {
        try withWorld { world in
            for accepts in [true, false] {
                let server = try TLSServer(.init(try Identity(.init("own")), chain: []))
                let recorder = Recorder()
                var requirements = ServerTrustRequirements()
                requirements.verifiesChain = !accepts
                requirements.verifiesHost = false
                recorder.onChallenge = { [requirements] in $0.judge(by: requirements) }
                world.thread.start(URLRequest(url: try server.url("localhost")), recorder)
                #expect((recorder.atEnd().error == nil) == accepts)
                #expect((server.stop().bytes == 0) == !accepts)
            }
        }
    }
}

extension URLAuthenticationChallenge {
    /// Answers as an operation does by its policy.
    fileprivate func judge(by requirements: ServerTrustRequirements) {
        guard let trust = protectionSpace.peerTrust,
            requirements.refusal(of: trust, url: nil) == nil
        else {
            sender?.cancel(self)
            return
        }
        acceptPeer()
    }
}
