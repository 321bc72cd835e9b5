import TLSPeer
import TestSupport

@testable import CurlConnection

@Suite("A server is judged before a byte goes to it", .timeLimit(.minutes(5)))
struct TrustOnTheWireTests {
    @Test func `a server with a valid chain is talked to`() throws {
        try withWorld { world in
            for host in ["localhost", "127.0.0.1"] {
                let (heard, journal) = try world.load(world.cast.good, host: host)
                #expect(heard.text == "ok")
                #expect(journal.requests == ["1 /"])
            }
        }
    }

    @Test func `a server that is not valid sees a handshake and no byte`() throws {
        try withWorld { world in
            let cast = world.cast
            let unknown = try Identity(.authority("unknown root"))
            var ownForm = Identity.Form("localhost", names: Cast.names)
            ownForm.isAuthority = true
            let rows: [(Identity, [Certificate]?, URLError.Code)] = [
                (try Identity(ownForm), [], .serverCertificateHasUnknownRoot),
                (
                    try Identity(.init("x", names: Cast.names), signedBy: unknown),
                    [unknown.certificate], .serverCertificateHasUnknownRoot
                ),
                (cast.good, [], .serverCertificateHasUnknownRoot),
                (try cast.leaf { $0.end = -3_600 }, nil, .serverCertificateHasBadDate),
                (try cast.leaf { $0.start = 3_600 }, nil, .serverCertificateNotYetValid),
                (try cast.leaf { $0.names = "DNS:b.test" }, nil, .serverCertificateUntrusted),
                (
                    try cast.leaf {
                        $0.names = nil
                        $0.commonName = "localhost"
                    }, nil, .serverCertificateUntrusted
                ),
                (try cast.leaf { $0.usage = "clientAuth" }, nil, .serverCertificateUntrusted),
                (try cast.leaf { $0.rsaBits = 1_024 }, nil, .serverCertificateUntrusted),
                (try cast.leaf { $0.usesSHA1 = true }, nil, .serverCertificateUntrusted),
            ]
            for (index, (identity, chain, code)) in rows.enumerated() {
                let (heard, journal) = try world.load(identity, chain: chain)
                #expect(heard.order == [.willSend, .challenge, .fail], "row \(index)")
                #expect(heard.code == code, "row \(index): \(String(describing: heard.error))")
                #expect(journal.bytes == 0, "row \(index)")
            }
        }
    }

    @Test func `a load without a delegate's answer is judged too`() async {
        await #expect(processExitsWith: .success) {
            // Given no variable, so that the system's roots count
            let server = try TLSServer(.init(Identity(.init("own", names: Cast.names))))
            let request = URLRequest(url: try server.url("localhost"))
            let error = #expect(throws: URLError.self) {
                try URLConnection.sendSynchronousRequest(request)
            }
            #expect(error?.code == .serverCertificateHasUnknownRoot)
            #expect(server.stop().bytes == 0)
        }
    }

    @Test func `a redirect's target is judged before a byte goes to it`() throws {
        try withWorld { world in
            let target = try TLSServer(.init(Identity(.init("own", names: Cast.names))))
            let url = try target.url("localhost", "/secret").absoluteString
            let (heard, journal) = try world.load(world.cast.good) {
                $0.answer = { _ in TLSServer.redirect(to: url) }
            }
            #expect(journal.requests == ["1 /"])
            #expect(heard.count(.challenge) == 2)
            #expect(heard.code == .serverCertificateHasUnknownRoot)
            #expect(target.stop().bytes == 0)
        }
    }

    @Test func `a redirect's target is held to the pins too`() throws {
        try withWorld { world in
            let cast = world.cast
            let target = try TLSServer(
                .init(cast.leaf { _ in }, chain: [cast.middle.certificate]))
            let url = try target.url("localhost", "/secret").absoluteString
            var settings = cast.settings
            settings.answer = { _ in TLSServer.redirect(to: url) }
            let server = try TLSServer(settings)
            for pinning in [ServerTrustRequirements.Pinning.none, .publicKeys, .certificates] {
                let recorder = Recorder()
                world.start(try server.url("localhost"), recorder) {
                    $0.pinning = pinning
                    $0.pins = [cast.good.certificate]
                }
                #expect((recorder.atEnd().text == "ok") == (pinning == .none))
            }
            #expect(server.stop().requests.count == 3)
            #expect(target.stop().requests == ["1 /secret"])
        }
    }

    @Test func `a second connection is judged like the first, in a handshake of its own`() throws {
        try withWorld { world in
            var settings = world.cast.settings
            settings.ending = .closes
            settings.answer = { _ in
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
            }
            let server = try TLSServer(settings)
            for isRefused in [false, true] {
                let shown = Box<Int>()
                let recorder = Recorder()
                recorder.onChallenge = {
                    shown.value = $0.protectionSpace.peerTrust?.certificates.count
                    if isRefused { $0.sender?.cancel($0) } else { $0.acceptPeer() }
                }
                let heard = world.load(try server.url("localhost"), recorder)
                #expect(shown.value == 2)
                #expect(heard.code == (isRefused ? .userCancelledAuthentication : nil))
            }
            // libcurl keeps sessions with the handle of one exchange
            let journal = server.stop()
            #expect(journal.requests == ["1 /"])
            #expect(journal.closed == 2)
            #expect(journal.resumed == 0)
        }
    }

    @Test func `a server accepted under one requirement is not accepted under another`() throws {
        try withWorld { world in
            let server = try TLSServer(world.cast.settings)
            let url = try server.url("localhost")
            let pin = try Identity(.init("another")).certificate
            // Given a kept connection without pins, then a request with pins that do not match
            for isPinned in [false, true, false] {
                let recorder = Recorder()
                world.start(url, recorder) {
                    $0.pinning = isPinned ? .publicKeys : .none
                    $0.pins = isPinned ? [pin] : []
                }
                #expect(recorder.atEnd().hasEnded)
                #expect((recorder.heard.error != nil) == isPinned)
            }
            let journal = server.stop()
            #expect(journal.requests == ["1 /", "1 /"])
            #expect(journal.closed == 2)
            #expect(journal.resumed == 0)
        }
    }

    @Test func `without a delegate the connection judges alone`() throws {
        try withWorld { world in
            let own = try Identity(.init("own", names: Cast.names))
            let root = world.cast.root.certificate
            for (identity, expected) in [(world.cast.good, 1), (own, 0)] {
                let server = try TLSServer(
                    .init(identity, chain: [world.cast.middle.certificate]))
                let request = URLRequest(url: try server.url("localhost"))
                world.thread.run {
                    let connection = URLConnection(
                        request: request, delegate: nil, startImmediately: false)
                    connection.trustRequirements.anchors = [root]
                    connection.start()
                }
                #expect(server.waitForAnEnd())
                #expect(server.stop().requests.count == expected)
            }
        }
    }

    @Test func `without TLS nobody is asked`() throws {
        try withWorld { world in
            #expect(world.load("/ok").count(.challenge) == 0)
        }
    }
}
