import Foundation
import FoundationNetworking
import TLSPeer
import Testing

@testable import CurlConnection

@Suite("What is remembered of a server on a kept connection", .timeLimit(.minutes(5)))
struct KeptTrustTests {
    private func server(_ fixture: TrustFixture) throws -> TLSServer {
        try TLSServer(.init(fixture.cast.good, chain: [fixture.cast.middle.certificate]))
    }

    @Test func `the certificates are read once for a host, and again for another`() throws {
        try withTrustFixture { fixture in
            let server = try server(fixture)
            var shown: [ServerTrust] = []
            for host in ["localhost", "localhost", "LOCALHOST", "localhost"] {
                let trust = Box<ServerTrust>()
                let recorder = Recorder()
                recorder.onChallenge = {
                    trust.value = $0.protectionSpace.peerTrust
                    $0.acceptPeer()
                }
                #expect(fixture.load(try server.url(host), recorder).text == "ok")
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
        try withTrustFixture { fixture in
            let first = try server(fixture)
            let second = try TLSServer(.init(try Identity(.init("own")), chain: []))
            var counts: [Int?] = []
            for url in [try first.url("localhost"), try second.url("localhost")] {
                let count = Box<Int>()
                let recorder = Recorder()
                recorder.onChallenge = {
                    count.value = $0.protectionSpace.peerTrust?.certificates.count
                    $0.acceptPeer()
                }
                #expect(fixture.load(url, recorder).text == "ok")
                counts.append(count.value)
            }
            #expect(counts == [2, 1])
            _ = first.stop()
            _ = second.stop()
        }
    }

    @Test func `a delegate that judges by requirements is put no challenge, and may change them`()
        throws
    {
        try withTrustFixture { fixture in
            let server = try server(fixture)
            let root = fixture.cast.root.certificate
            let other = try Identity(.init("another")).certificate
            let url = try server.url("localhost")
            // The same as the connection's, none, others that hold, others that do not
            for (row, challenges) in [0, 1, 0, 0].enumerated() {
                let recorder = Recorder()
                recorder.onChallenge = { $0.acceptPeer() }
                fixture.thread.start(URLRequest(url: url), recorder) {
                    $0.trustRequirements.anchors = [root]
                    var requirements = $0.trustRequirements
                    if row > 1 {
                        requirements.pinning = .publicKeys
                        requirements.pins = [row == 2 ? root : other]
                    }
                    $0.directDelegate = Judge(recorder, row == 1 ? nil : requirements)
                }
                let heard = recorder.atEnd()
                #expect(heard.code == (row == 3 ? .userCancelledAuthentication : nil))
                #expect(heard.count(.challenge) == challenges)
            }
            let journal = server.stop()
            #expect(journal.requests == ["1 /", "1 /", "1 /"])
            #expect(journal.handshakes == 1)
        }
    }

    @Test func `requirements of a delegate can accept what the connection's refuse`() throws {
        try withTrustFixture { fixture in
            for accepts in [true, false] {
                let server = try TLSServer(.init(try Identity(.init("own")), chain: []))
                let recorder = Recorder()
                fixture.thread.start(
                    URLRequest(url: try server.url("localhost")), recorder
                ) {
                    var requirements = $0.trustRequirements
                    requirements.verifiesChain = !accepts
                    requirements.verifiesHost = false
                    $0.directDelegate = Judge(recorder, requirements)
                }
                #expect((recorder.atEnd().error == nil) == accepts)
                #expect((server.stop().bytes == 0) == !accepts)
            }
        }
    }
}

/// Judges servers by requirements; passes everything else on.
private final class Judge: DirectDelegate {
    private let recorder: Recorder
    let serverTrustRequirements: ServerTrustRequirements?

    init(_ recorder: Recorder, _ requirements: ServerTrustRequirements?) {
        self.recorder = recorder
        serverTrustRequirements = requirements
    }

    func connection(
        _ connection: URLConnection, willSendFirst request: URLRequest
    ) -> FirstRequest {
        .changed(recorder.connection(connection, willSend: request, redirectResponse: nil))
    }

    func connection(_ connection: URLConnection, didReceiveHead response: LateResponse) {
        response.made().map { recorder.connection(connection, didReceive: $0) }
    }

    func connection(
        _ connection: URLConnection, didReceivePiece piece: UnsafeRawBufferPointer
    ) {
        recorder.connection(connection, didReceive: Data(piece))
    }
}
