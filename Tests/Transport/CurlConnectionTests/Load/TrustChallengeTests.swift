import TLSPeer
import TestSupport

@testable import CurlConnection

@Suite("A delegate answers for a server", .timeLimit(.minutes(5)))
struct TrustChallengeTests {
    @Test func `the question shows host, port and certificates`() throws {
        try withWorld { world in
            let space = Box<URLProtectionSpace>()
            let recorder = Recorder()
            recorder.onChallenge = {
                space.value = $0.protectionSpace
                $0.sender?.performDefaultHandling(for: $0)
            }
            let server = try TLSServer(world.cast.settings)
            let heard = world.load(try server.url("localhost"), recorder)
            #expect(heard.order == [.willSend, .challenge, .response, .data, .finish])
            #expect(heard.failureCounts == [0])
            let asked = try #require(space.value)
            #expect(asked.authenticationMethod == NSURLAuthenticationMethodServerTrust)
            #expect(asked.host == "localhost")
            #expect(asked.port == Int(server.port))
            #expect(asked.protocol == "https")
            #expect(asked.peerTrust?.host == "localhost")
            #expect(
                asked.peerTrust?.certificates
                    == [world.cast.good, world.cast.middle].map(\.certificate))
            _ = server.stop()
        }
    }

    @Test func `a delegate can accept what nobody vouches for`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onChallenge = { $0.acceptPeer() }
            let own = try Identity(.init("own"))
            let (heard, _) = try world.load(own, chain: [], recorder)
            #expect(heard.text == "ok")
        }
    }

    @Test func `a refusal is told as such, with the reason beneath, and no byte is sent`() throws {
        try withWorld { world in
            for (identity, underlying) in [
                (world.cast.good, nil),
                (try world.cast.leaf { $0.end = -60 }, URLError.Code.serverCertificateHasBadDate),
            ] {
                let recorder = Recorder()
                recorder.onChallenge = { $0.sender?.cancel($0) }
                let (heard, journal) = try world.load(identity, recorder)
                #expect(heard.code == .userCancelledAuthentication)
                let beneath = heard.error?.underlyingError as? URLError
                #expect(beneath?.code == underlying)
                #expect(heard.order.last == .fail)
                #expect(journal.bytes == 0)
            }
        }
    }

    @Test func `what does not accept this server leaves it to the connection`() throws {
        try withWorld { world in
            let other = ServerTrust(
                host: "localhost", certificates: [world.cast.good.certificate])
            let answers: [@Sendable (URLAuthenticationChallenge) -> Void] = [
                { $0.sender?.performDefaultHandling(for: $0) },
                { $0.sender?.continueWithoutCredential(for: $0) },
                { $0.sender?.rejectProtectionSpaceAndContinue(with: $0) },
                {
                    let user = URLCredential(user: "u", password: "p", persistence: .none)
                    $0.sender?.use(user, for: $0)
                },
                { $0.sender?.use(PeerTrustCredential(peerTrust: other), for: $0) },
                {
                    let shown = $0.protectionSpace.peerTrust?.certificates ?? []
                    let elsewhere = ServerTrust(host: "elsewhere", certificates: shown)
                    $0.sender?.use(PeerTrustCredential(peerTrust: elsewhere), for: $0)
                },
                {
                    // Only the first answer counts
                    $0.sender?.performDefaultHandling(for: $0)
                    $0.acceptPeer()
                },
            ]
            let own = try Identity(.init("own", names: Cast.names))
            for answer in answers {
                let recorder = Recorder()
                recorder.onChallenge = answer
                let (heard, journal) = try world.load(own, chain: [], recorder)
                #expect(heard.code == .serverCertificateHasUnknownRoot)
                #expect(journal.bytes == 0)
                let second = Recorder()
                second.onChallenge = answer
                #expect(try world.load(world.cast.good, second).0.text == "ok")
            }
        }
    }

    @Test func `a challenge that nobody keeps is refused`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onChallenge = { _ in }
            let (heard, journal) = try world.load(world.cast.good, recorder)
            #expect(heard.code == .userCancelledAuthentication)
            #expect(journal.bytes == 0)
        }
    }

    @Test func `a delegate may cancel the connection when it is asked`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onCall = { call, connection in
                if call == .challenge { connection.cancel() }
            }
            let server = try TLSServer(world.cast.settings)
            world.start(try server.url("localhost"), recorder)
            #expect(recorder.wait { $0.count(.challenge) == 1 })
            world.thread.settle()
            #expect(recorder.heard.ends == 0)
            #expect(server.stop().bytes == 0)
        }
    }

    @Test func `each request on a kept connection is asked about, and can be refused`() throws {
        try withWorld { world in
            let server = try TLSServer(world.cast.settings)
            let url = try server.url("localhost")
            for number in 1...3 {
                let recorder = Recorder()
                let certificates = Box<[Certificate]>()
                recorder.onChallenge = {
                    certificates.value = $0.protectionSpace.peerTrust?.certificates
                    if number < 3 { $0.acceptPeer() } else { $0.sender?.cancel($0) }
                }
                let heard = world.load(url, recorder)
                #expect(certificates.value?.count == 2)
                #expect(heard.code == (number < 3 ? nil : .userCancelledAuthentication))
            }
            let journal = server.stop()
            #expect(journal.requests == ["1 /", "1 /"])
            #expect(journal.handshakes == 1)
        }
    }
}
