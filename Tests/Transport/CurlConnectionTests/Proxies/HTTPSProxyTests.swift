import ProxyPeer
import TLSPeer
import TestSupport

@testable import CurlConnection

@Suite("An HTTPS proxy is judged before it is told anything", .timeLimit(.minutes(2)))
struct HTTPSProxyTests {
    private func load(
        _ url: URL, _ world: TestWorld, _ identity: Identity, anchors: [Certificate]?,
        host: String = "localhost", highest: Int = 0
    ) throws -> (Heard, heads: [String], handshakes: Int) {
        let peer = try HTTPProxy(.init(login: "u:p"))
        let front = try TLSFront(
            identity, chain: [world.cast.middle.certificate], target: peer.port, highest: highest)
        var proxy = try Proxy(
            .https, host: host, port: Int(front.port), user: "u", password: "p")
        proxy.anchorCertificates = anchors
        let heard = world.load(url, via: proxy)
        let handshakes = front.stop()
        return (heard, peer.stop(), handshakes)
    }

    @Test func `a valid one is used for http and for https`() throws {
        try withWorld { world in
            let anchors = [world.cast.root.certificate]
            for url in [try world.named("/ok"), try world.secure.url("localhost")] {
                let (heard, heads, handshakes) = try load(
                    url, world, world.cast.good, anchors: anchors)
                #expect(heard.status == 200, "\(heard.error as Any)")
                #expect(heads.count == 1)
                #expect(handshakes == 1)
            }
        }
    }

    @Test func `one that is not valid gets no byte of a request and no login`() throws {
        try withWorld { world in
            let cast = world.cast
            let unknown = try Identity(.authority("unknown root"))
            let rows: [(Identity, anchors: [Certificate]?, host: String)] = [
                (cast.good, [unknown.certificate], "localhost"),
                (cast.good, [], "localhost"),
                (cast.good, nil, "localhost"),
                (try cast.leaf { $0.end = -3_600 }, [cast.root.certificate], "localhost"),
                (try cast.leaf { $0.names = "DNS:b.test" }, [cast.root.certificate], "localhost"),
                (try cast.leaf { $0.names = "DNS:b.test" }, [cast.root.certificate], "127.0.0.1"),
            ]
            for (index, (identity, anchors, host)) in rows.enumerated() {
                for url in [try world.named("/ok"), try world.secure.url("localhost")] {
                    let (heard, heads, _) = try load(
                        url, world, identity, anchors: anchors, host: host)
                    let isRefused =
                        heard.code == .serverCertificateUntrusted
                        || heard.code == .secureConnectionFailed
                    #expect(isRefused, "row \(index): \(heard.error as Any)")
                    #expect(heads.isEmpty, "row \(index)")
                }
            }
            #expect(world.server.requests.isEmpty)
            #expect(world.secure.journal.handshakes == 0)
        }
    }

    @Test func `one that speaks no TLS of today gets no login`() throws {
        try withWorld { world in
            let (heard, heads, handshakes) = try load(
                try world.secure.url("localhost"), world, world.cast.good,
                anchors: [world.cast.root.certificate], highest: 0x0302)
            #expect(heard.code == .secureConnectionFailed)
            #expect(
                heard.error?.localizedDescription.contains("TLS handshake with the proxy") == true)
            #expect(heads.isEmpty)
            #expect(handshakes == 0)
        }
    }

    @Test func `the system's roots are those that the environment names`() async {
        await #expect(processExitsWith: .success) {
            try withWorld { world in
                let suite = HTTPSProxyTests()
                let url = try world.named("/ok")
                let roots = world.cast.root.certificate.der.asPEM
                let file = try world.files.write("roots.pem", roots)
                setenv("SSL_CERT_FILE", file.path, 1)
                let (good, _, _) = try suite.load(url, world, world.cast.good, anchors: nil)
                #expect(good.status == 200)
                setenv("SSL_CERT_FILE", "/nowhere", 1)
                let (bad, heads, _) = try suite.load(url, world, world.cast.good, anchors: nil)
                #expect(bad.error != nil)
                #expect(heads.isEmpty)
            }
        }
    }

    @Test func `a server behind one is judged by its own requirements`() throws {
        try withWorld { world in
            // Given a proxy that its anchors accept, and a server that no anchor of ours does
            let own = try TLSServer(.init(Identity(.init("own", names: Cast.names))))
            let (heard, heads, _) = try load(
                try own.url("localhost"), world, world.cast.good,
                anchors: [world.cast.root.certificate])
            #expect(heard.code == .serverCertificateHasUnknownRoot)
            #expect(heads.count == 1)
            #expect(own.stop().bytes == 0)
        }
    }

    @Test func `an answer that came before its question is not taken out of a proxy's record`()
        throws
    {
        try withWorld { world in
            let cast = world.cast
            var settings = cast.settings
            // So that proxy and front pass both records on as one
            settings.isCorked = true
            settings.records = { _, line in
                guard line.contains("/first") else {
                    return ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright"]
                }
                return [
                    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst",
                    "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged",
                ]
            }
            let server = try TLSServer(settings)
            let peer = try HTTPProxy()
            let front = try TLSFront(
                cast.good, chain: [cast.middle.certificate], target: peer.port)
            var proxy = try Proxy(.https, host: "localhost", port: Int(front.port))
            proxy.anchorCertificates = [cast.root.certificate]
            #expect(world.load(try server.url("localhost", "/first"), via: proxy).text == "first")
            #expect(world.load(try server.url("localhost", "/next"), via: proxy).text == "right")
            #expect(server.stop().requests == ["1 /first", "2 /next"])
            front.stop()
            peer.stop()
        }
    }
}
