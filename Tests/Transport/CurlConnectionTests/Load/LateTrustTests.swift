import TLSPeer
import TestSupport

@testable import CurlConnection

/// libcurl cannot wait in a handshake: an exchange whose answer comes late is given up, and the
/// next one goes by what was answered.
@Suite("Late answers about a server", .timeLimit(.minutes(5)))
struct LateTrustTests {
    private typealias Answering = @Sendable (URLAuthenticationChallenge) -> Void

    /// Answers from a thread of its own what was asked.
    private func answer(_ asked: Box<URLAuthenticationChallenge>, _ body: @escaping Answering) {
        let challenge = Box(asked.value)
        asked.value = nil
        Thread {
            challenge.value.map(body)
            challenge.value = nil
        }.start()
    }

    @Test func `an acceptance from another thread sends the request exactly once`() throws {
        try withSecureWorld { world in
            let own = try TestWorld.serving(TLSIdentity(.loopback))
            defer { own.stop() }
            let recorder = Recorder()
            let asked = world.startUntilAsked(recorder, own.url("/ok"))
            #expect(own.statistics.bytesReceived == 0)
            answer(asked) { $0.acceptPeer() }
            let heard = recorder.atEnd()
            #expect(heard.text == "hello world")
            #expect(heard.order == [.willSend, .challenge, .response, .data, .finish])
            #expect(heard.count(.challenge) == 1)
            #expect(!heard.wasOutsideItsThread)
            #expect(own.statistics.requests == 1)
        }
    }

    @Test func `an answer given during the question needs one handshake alone`() throws {
        try withSecureWorld { world in
            let recorder = Recorder()
            recorder.onChallenge = { $0.acceptPeer() }
            world.start(recorder)
            #expect(recorder.atEnd().text == "hello world")
            #expect(world.server.statistics.handshakes == 1)
            #expect(world.server.statistics.requests == 1)
        }
    }

    @Test func `a late answer that leaves it open has the certificates checked`() throws {
        let answers: [Answering] = [
            { $0.sender?.performDefaultHandling(for: $0) },
            { $0.sender?.continueWithoutCredential(for: $0) },
            { $0.sender?.rejectProtectionSpaceAndContinue(with: $0) },
            {
                let user = URLCredential(user: "u", password: "p", persistence: .none)
                $0.sender?.use(user, for: $0)
            },
            {
                let trust = ServerTrust(host: "elsewhere", certificates: [])
                $0.sender?.use(PeerTrustCredential(peerTrust: trust), for: $0)
            },
        ]
        try withSecureWorld { world in
            let own = try TestWorld.serving(TLSIdentity(.loopback))
            defer { own.stop() }
            for answering in answers {
                let good = Recorder()
                answer(world.startUntilAsked(good), answering)
                #expect(good.atEnd().text == "hello world")
                let bad = Recorder()
                answer(world.startUntilAsked(bad, own.url("/ok")), answering)
                #expect(bad.atEnd().code == .serverCertificateHasUnknownRoot)
                #expect(bad.heard.count(.challenge) == 1)
            }
            #expect(own.statistics.bytesReceived == 0)
        }
    }

    @Test func `a late refusal is -1012, and the server saw no byte of the request`() throws {
        try withSecureWorld { world in
            let recorder = Recorder()
            answer(world.startUntilAsked(recorder)) { $0.sender?.cancel($0) }
            let heard = recorder.atEnd()
            #expect(heard.code?.rawValue == -1012)
            #expect(heard.order == [.willSend, .challenge, .fail])
            #expect(world.server.statistics.bytesReceived == 0)
        }
    }

    @Test func `a challenge that nobody keeps is refused with -1012 at once`() throws {
        try withSecureWorld { world in
            let recorder = Recorder()
            recorder.onChallenge = { _ in }
            world.start(recorder)
            let heard = recorder.atEnd()
            #expect(heard.code?.rawValue == -1012)
            #expect(heard.error?.localizedDescription.contains("never answered") == true)
            #expect(heard.ends == 1)
            #expect(world.server.statistics.bytesReceived == 0)
        }
    }

    @Test func `a challenge that is dropped later is refused with -1012 then`() throws {
        try withSecureWorld { world in
            let recorder = Recorder()
            let asked = world.startUntilAsked(recorder)
            #expect(!recorder.heard.hasEnded)
            answer(asked) { _ in }
            #expect(recorder.atEnd().code?.rawValue == -1012)
            #expect(world.server.statistics.bytesReceived == 0)
        }
    }

    @Test func `the first late answer counts, others change nothing`() throws {
        try withSecureWorld { world in
            let recorder = Recorder()
            answer(world.startUntilAsked(recorder)) {
                $0.acceptPeer()
                $0.sender?.cancel($0)
            }
            #expect(recorder.atEnd().text == "hello world")
            world.thread.settle()
            #expect(recorder.heard.ends == 1)
            #expect(world.server.statistics.requests == 1)
        }
    }

    @Test func `after a cancel while it waits, an acceptance sends nothing`() throws {
        try withSecureWorld { world in
            let recorder = Recorder()
            let asked = world.startUntilAsked(recorder)
            _ = world.thread.sync { recorder.connection?.cancel() }
            asked.value?.acceptPeer()
            world.thread.settle()
            #expect(recorder.heard.order == [.willSend, .challenge])
            let isClosed = world.server.waitUntil(timeout: patience) { seen, _ in
                seen.connectionsOpen == 0
            }
            #expect(isClosed)
            #expect(world.server.statistics.bytesReceived == 0)
        }
    }

    @Test func `another certificate at the next handshake is asked about again`() throws {
        try withSecureWorld { world in
            let first = try TestWorld.serving(TLSIdentity(.loopback))
            defer { first.stop() }
            let recorder = Recorder()
            let asked = world.startUntilAsked(recorder, first.url("/ok"))
            let port = first.port
            first.stop()
            let second = try TestWorld.serving(TLSIdentity(.loopback), port: port)
            defer { second.stop() }
            answer(asked) { $0.acceptPeer() }
            #expect(recorder.wait { $0.count(.challenge) == 2 })
            #expect(second.statistics.bytesReceived == 0)
            world.thread.settle()
            answer(asked) { $0.sender?.cancel($0) }
            #expect(recorder.atEnd().code?.rawValue == -1012)
            #expect(second.statistics.bytesReceived == 0)
        }
    }

    @Test func `a server with ever new certificates is refused after 20 late answers`() throws {
        try withSecureWorld { world in
            let identities = try (0..<25).map { _ in try Identity(.init("ever new")) }
            var settings = TLSServer.Settings(identities[0])
            settings.identityOf = { identities[min($0, 24)] }
            let server = try TLSServer(settings)
            let recorder = Recorder()
            let asked = world.startUntilAsked(recorder, try server.url("127.0.0.1"))
            for count in 1...21 {
                #expect(recorder.wait { $0.count(.challenge) == count })
                world.thread.settle()
                answer(asked) { $0.acceptPeer() }
            }
            let heard = recorder.atEnd()
            #expect(heard.code?.rawValue == -1012)
            #expect(heard.error?.localizedDescription.contains("another certificate") == true)
            #expect(heard.count(.challenge) == 21)
            #expect(server.stop().bytes == 0)
        }
    }

    @Test func `the limit for the whole load runs while it waits`() throws {
        try withSecureWorld { world in
            let recorder = Recorder()
            let clock = TurnableClock()
            let asked = world.startUntilAsked(recorder) {
                $0.configuration.clock = clock.clock
                $0.timeoutIntervalForResource = 50
            }
            clock.turn(by: 50)
            #expect(recorder.atEnd().code == .timedOut)
            asked.value?.acceptPeer()
            world.thread.settle()
            #expect(recorder.heard.order == [.willSend, .challenge, .fail])
            #expect(world.server.statistics.bytesReceived == 0)
        }
    }

    @Test func `the limit for idleness does not run while it waits`() throws {
        try withSecureWorld { world in
            let clock = TurnableClock()
            let recorder = Recorder()
            let asked = world.startUntilAsked(recorder, idleLimit: 30) {
                $0.configuration.clock = clock.clock
            }
            clock.turn(by: 90)
            world.thread.settle()
            #expect(!recorder.heard.hasEnded)
            answer(asked) { $0.acceptPeer() }
            #expect(recorder.atEnd().text == "hello world")
        }
    }

    @Test func `while one load waits others go on, also to the same server`() throws {
        try withSecureWorld { world in
            let waiting = Recorder()
            let asked = world.startUntilAsked(waiting)
            let other = Recorder()
            world.start(other)
            #expect(other.atEnd().text == "hello world")
            #expect(!waiting.heard.hasEnded)
            answer(asked) { $0.acceptPeer() }
            #expect(waiting.atEnd().text == "hello world")
        }
    }

    @Test func `what was accepted for one server is asked again for a redirect's target`() throws {
        try withSecureWorld { world in
            let target = try TestWorld.serving(TLSIdentity(.loopback))
            defer { target.stop() }
            let url = target.url("/ok").absoluteString
            world.server.add("/away") { _ in .redirect(to: url) }
            let recorder = Recorder()
            let asked = world.startUntilAsked(recorder, world.server.url("/away"))
            answer(asked) { $0.acceptPeer() }
            #expect(recorder.wait { $0.count(.challenge) == 2 })
            #expect(target.statistics.bytesReceived == 0)
            world.thread.settle()
            answer(asked) { $0.acceptPeer() }
            #expect(recorder.atEnd().text == "hello world")
            #expect(world.server.statistics.requests == 1)
            #expect(target.statistics.requests == 1)
        }
    }

    @Test(arguments: ["/basic-auth/user/pass", "/digest-auth/auth/user/pass/SHA-256"])
    func `a late acceptance and a late password each go to their own question`(
        path: String
    ) throws {
        try withSecureWorld { world in
            let recorder = Recorder()
            let asked = world.startUntilAsked(recorder, world.server.url(path))
            answer(asked) { $0.acceptPeer() }
            #expect(recorder.wait { $0.count(.challenge) == 2 })
            world.thread.settle()
            #expect(asked.value?.protectionSpace.peerTrust == nil)
            answer(asked) {
                let user = URLCredential(user: "user", password: "pass", persistence: .none)
                $0.sender?.use(user, for: $0)
            }
            let heard = recorder.atEnd()
            #expect(heard.responses.map(\.statusCode) == [200])
            #expect(heard.count(.challenge) == 2)
            #expect(world.server.statistics.requests <= 3)
        }
    }

    @Test func `an upload that waits sends its body once, data or stream`() throws {
        let bytes = GeneratedBytes.bytes(seed: 2, range: 0..<100_000)
        try withSecureWorld { world in
            for isStream in [false, true] {
                world.server.resetLog()
                var request = URLRequest(url: world.server.url("/echo"))
                request.httpMethod = "POST"
                if isStream {
                    request.httpBodyStream = PiecesStream([bytes])
                } else {
                    request.httpBody = bytes
                }
                let recorder = Recorder()
                let asked = Box<URLAuthenticationChallenge>()
                recorder.onChallenge = { asked.value = $0 }
                world.thread.start(request, recorder)
                #expect(recorder.wait { $0.count(.challenge) == 1 })
                world.thread.settle()
                answer(asked) { $0.acceptPeer() }
                #expect(recorder.atEnd().error == nil)
                #expect(world.server.requests.map(\.bodyHash) == [BodyHash.of(bytes)])
                #expect(recorder.heard.sentBytes == Int64(bytes.count))
            }
        }
    }
}
