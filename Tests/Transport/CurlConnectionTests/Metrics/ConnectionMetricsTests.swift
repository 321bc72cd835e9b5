import COpenSSL
import LookUpPeer
import ProxyPeer
import TLSPeer
import TestSupport

@testable import CurlConnection

@Suite("The times of connections", .timeLimit(.minutes(2)))
struct ConnectionMetricsTests {
    private func measured(_ heard: Heard) throws -> TransactionMetrics {
        let metrics = try #require(heard.metrics.first)
        metrics.expectSound()
        return try #require(metrics.transactionMetrics.last)
    }

    @Test(arguments: [TLSSettings.Version.tls12, .tls13])
    func `https has a handshake, a version and a cipher suite, also on a kept connection`(
        version: TLSSettings.Version
    ) throws {
        try withSecureWorld({ $0.highest = version }) { world in
            let (first, second) = (Recorder(), Recorder())
            world.start(first)
            let made = try measured(first.atEnd())
            #expect(made.secureConnectionStartDate != nil && made.secureConnectionEndDate != nil)
            #expect(made.secureConnectionEndDate == made.connectEndDate)
            #expect(made.durations.secureConnection > .zero && made.durations.connect > .zero)
            #expect(
                made.negotiatedTLSProtocolVersion == (version == .tls13 ? "TLSv1.3" : "TLSv1.2"))
            let suite = try #require(made.negotiatedTLSCipherSuite)
            #expect(suite.hasPrefix("TLS_"))
            world.start(second)
            let kept = try measured(second.atEnd())
            #expect(kept.isReusedConnection && kept.secureConnectionStartDate == nil)
            #expect(kept.negotiatedTLSProtocolVersion == made.negotiatedTLSProtocolVersion)
            #expect(kept.negotiatedTLSCipherSuite == suite)
        }
    }

    @Test func `a server that is not trusted gets no request`() throws {
        try withSecureWorld { world in
            let recorder = Recorder()
            recorder.onChallenge = { $0.sender?.cancel($0) }
            world.start(recorder)
            let heard = recorder.atEnd()
            #expect(heard.code == .userCancelledAuthentication)
            let only = try measured(heard)
            #expect(only.secureConnectionEndDate != nil && only.requestStartDate == nil)
            #expect(only.countOfRequestHeaderBytesSent == 0)
        }
    }

    @Test func `HTTP 2 is named by its protocol`() throws {
        let cast = try Cast()
        let server = try HTTP2Server(cast.settings) {
            HTTP2Server.reply($1, "answer \($0)", control: "no-store")
        }
        let thread = LoopThread()
        defer {
            thread.end()
            server.stop()
        }
        let url = try #require(URL(string: "https://localhost:\(server.port)/"))
        let root = cast.root.certificate
        for isFirst in [true, false] {
            let recorder = Recorder()
            thread.start(URLRequest(url: url), recorder) {
                $0.trustRequirements.anchors = [root]
            }
            let heard = recorder.atEnd()
            #expect(heard.error == nil)
            let only = try measured(heard)
            #expect(only.networkProtocolName == "h2")
            #expect(only.isReusedConnection == !isFirst)
        }
    }

    @Test func `a proxy's tunnel belongs to connecting`() throws {
        try withWorld { world in
            let peer = try HTTPProxy()
            let url = try world.secure.url("localhost")
            let only = try measured(world.load(url, via: try peer.proxy()))
            #expect(only.isProxyConnection)
            #expect(only.remotePort == Int(peer.port))
            let (connect, secure) = (only.connectStartDate, only.secureConnectionStartDate)
            #expect(try #require(connect) < (try #require(secure)))
            peer.stop()
        }
    }

    @Test func `a look-up takes as long as the resolver does`() throws {
        try withWorld { world in
            var parts = URLComponents(
                url: world.server.url("/ok"), resolvingAgainstBaseURL: true)
            parts?.host = "measured.lookup.test"
            let request = URLRequest(url: try #require(parts?.url))
            StalledLookUp.hold("measured.lookup.test")
            let recorder = Recorder()
            world.thread.start(request, recorder)
            world.thread.settle()
            StalledLookUp.release("measured.lookup.test")
            let heard = recorder.atEnd()
            #expect(StalledLookUp.waitUntilNone())
            #expect(heard.text == "hello world")
            let only = try measured(heard)
            #expect(only.durations.domainLookup > .zero)
            #expect(only.domainLookupEndDate != nil)
        }
    }

    @Test func `a name that is not known has a look-up and no connection`() throws {
        try withWorld { world in
            let url = try #require(URL(string: "http://unknown-measured.lookup.test/"))
            let heard = world.load(URLRequest(url: url))
            #expect(heard.code == .cannotFindHost)
            let only = try measured(heard)
            #expect(only.domainLookupStartDate != nil && only.connectStartDate == nil)
        }
    }
}
