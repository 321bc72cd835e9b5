import ProxyPeer
import TLSPeer
import TestSupport

@testable import CurlConnection

@Suite("An HTTP proxy forwards http and tunnels https", .timeLimit(.minutes(2)))
struct HTTPProxyTests {
    @Test func `an http URL goes to the proxy whole, and its name is not looked up here`() throws {
        try withWorld { world in
            let peer = try HTTPProxy()
            let url = try world.named("/ok")
            let heard = world.load(url, via: try peer.proxy())
            #expect(heard.text == "hello world")
            #expect(heard.responses.last?.url == url)
            let head = try #require(peer.stop().first)
            #expect(head.hasPrefix("GET \(url.absoluteString) HTTP/1.1\r\n"))
            #expect(!head.contains("Authorization"))
        }
    }

    @Test func `an https URL goes through a tunnel, inside which the server is judged`() throws {
        try withWorld { world in
            let peer = try HTTPProxy()
            let url = try world.secure.url("localhost", "/path?secret")
            #expect(world.load(url, via: try peer.proxy()).text == "ok")
            let head = try #require(peer.heads.first)
            #expect(head.hasPrefix("CONNECT localhost:\(world.secure.port) HTTP/1.1\r\n"))
            #expect(!head.contains("secret"))
            // Given a name that is not in the certificate
            let other = try world.secure.url("wrong.test")
            let heard = world.load(other, via: try peer.proxy())
            #expect(heard.code == .serverCertificateUntrusted)
            #expect(world.secure.journal.requests.count == 1)
            #expect(peer.stop().count == 2)
        }
    }

    @Test func `a body goes through a proxy`() throws {
        try withWorld { world in
            let peer = try HTTPProxy()
            let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            for isStream in [false, true] {
                var request = URLRequest(url: try world.named("/echo"))
                request.httpMethod = "POST"
                if isStream {
                    request.httpBodyStream = InputStream(data: body)
                } else {
                    request.httpBody = body
                }
                let heard = world.load(request, via: .fixed(try peer.proxy()))
                #expect(heard.status == 200)
                #expect(world.server.requests.last?.body == body)
            }
            peer.stop()
        }
    }

    @Test func `requests share a connection to the proxy`() throws {
        try withWorld { world in
            let peer = try HTTPProxy()
            for _ in 0..<5 {
                #expect(world.load(try world.named("/ok"), via: try peer.proxy()).status == 200)
            }
            for _ in 0..<3 {
                let url = try world.secure.url("localhost")
                let heard = world.load(url, via: try peer.proxy())
                #expect(heard.text == "ok", "\(heard.error as Any)")
            }
            #expect(peer.connections == 2)
            #expect(peer.stop().count == 6)
        }
    }

    @Test func `a login goes to the proxy at once and is never seen by a server`() throws {
        try withWorld { world in
            let user = "us\u{e9}r @/%41"
            let password = "p%25:@/?#\u{fc} "
            let peer = try HTTPProxy(.init(login: "\(user):\(password)"))
            let proxy = try peer.proxy(user, password)
            let plain = world.load(try world.named("/headers"), via: proxy)
            #expect(plain.status == 200)
            #expect(!plain.text.lowercased().contains("proxy"))
            let heard = world.load(try world.secure.url("localhost"), via: proxy)
            #expect(heard.text == "ok")
            let heads = peer.stop()
            #expect(heads.count == 2)
            let field = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
            #expect(heads.allSatisfy { $0.contains("Proxy-Authorization: \(field)\r\n") })
        }
    }

    @Test func `no field of a request goes into CONNECT, and none for proxies to a server`() throws
    {
        try withWorld { world in
            let peer = try HTTPProxy(.init(login: "u:p"))
            for url in [try world.secure.url("localhost"), try world.named("/headers")] {
                var request = URLRequest(url: url)
                for name in ["Authorization", "Cookie", "X-Api-Key", "Proxy-Authorization"] {
                    request.setValue("of the caller", forHTTPHeaderField: name)
                }
                let heard = world.load(request, via: .fixed(try peer.proxy("u", "p")))
                #expect(heard.status == 200)
                #expect(!heard.text.contains("Proxy-Authorization"))
            }
            let heads = peer.stop()
            #expect(heads.count == 2)
            #expect(heads.first?.contains("of the caller") == false)
            // An http request's own fields pass by the proxy, as they must.
            #expect(heads.last?.contains("X-Api-Key: of the caller") == true)
            #expect(heads.last?.contains("Proxy-Authorization: of the caller") == false)
        }
    }

    @Test func `a 407 to an http request is an answer like others`() throws {
        try withWorld { world in
            let peer = try HTTPProxy(.init(login: "u:p"))
            let heard = world.load(try world.named("/ok"), via: try peer.proxy("u", "wrong"))
            #expect(heard.status == 407)
            #expect(heard.text == "login")
            #expect(peer.stop().count == 1)
            #expect(world.server.requests.isEmpty)
        }
    }

    @Test func `proxies and logins do not share connections, nor does a load without`() throws {
        try withWorld { world in
            let peers = [try HTTPProxy(), try HTTPProxy()]
            let url = try world.secure.url("localhost")
            for proxy in [
                try peers[0].proxy("a", "1"), try peers[1].proxy("a", "1"),
                try peers[0].proxy("b", "1"), try peers[0].proxy("a", "2"),
                try peers[0].proxy(), try peers[0].proxy("a", "1"),
            ] {
                #expect(world.load(url, via: proxy).text == "ok")
            }
            #expect(world.load(URLRequest(url: url), via: .direct).text == "ok")
            #expect(peers[0].stop().count == 4)
            #expect(peers[1].stop().count == 1)
            #expect(world.secure.journal.handshakes == 6)
        }
    }

    @Test func `a redirect to a host that goes direct does not meet the proxy`() throws {
        try withWorld { world in
            let peer = try HTTPProxy()
            let target = world.server.url("/headers")
            world.server.add("/leave") { _ in
                .status(302, headers: [("Location", target.absoluteString)])
            }
            let proxy = try Proxy(
                .http, host: "127.0.0.1", port: Int(peer.port), user: "u", password: "p",
                exceptions: ["127.0.0.1"])
            let heard = world.load(try world.named("/leave"), via: proxy)
            #expect(heard.status == 200)
            #expect(!heard.text.lowercased().contains("proxy"))
            #expect(peer.stop().count == 1)
            #expect(world.server.requests.count == 2)
        }
    }

    @Test func `R64 the environment's proxies are used only where they were asked for`() async {
        await #expect(processExitsWith: .success) {
            let dead = "http://127.0.0.1:1"
            for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy"] {
                setenv(name, dead, 1)
            }
            try withWorld { world in
                let request = URLRequest(url: world.server.url("/ok"))
                #expect(world.load(request, via: .direct).status == 200)
                let url = try world.secure.url("localhost")
                #expect(world.load(URLRequest(url: url), via: .direct).text == "ok")
                let heard = world.load(request, via: .environment)
                #expect(heard.code == .cannotConnectToHost)
                setenv("no_proxy", "127.0.0.0/8", 1)
                #expect(world.load(request, via: .environment).status == 200)
                // A proxy that was set in code is no matter of the environment's exceptions.
                let peer = try HTTPProxy()
                #expect(
                    world.load(try #require(request.url), via: try peer.proxy()).status == 200)
                #expect(peer.stop().count == 1)
                // Upper case alone is what a CGI client could have sent.
                for name in ["http_proxy", "all_proxy", "ALL_PROXY", "no_proxy"] { unsetenv(name) }
                #expect(world.load(request, via: .environment).status == 200)
                setenv("http_proxy", "ftp://x", 1)
                let broken = world.load(request, via: .environment)
                #expect(broken.error?.localizedDescription.contains("http_proxy") == true)
                #expect(broken.error?.underlyingProxyError?.reason == .unknownScheme)
            }
        }
    }
}

extension URLError {
    var underlyingProxyError: ProxyError? {
        underlyingError as? ProxyError
    }
}
