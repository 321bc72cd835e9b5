import ProxyPeer
import TLSPeer
import TestSupport

@testable import CurlConnection

@Suite("A proxy asks for a login", .timeLimit(.minutes(2)))
struct ProxyChallengeTests {
    /// Answers what proxies ask with a login, and servers by the requirements.
    private func recorder(_ user: String, _ password: String) -> Recorder {
        let recorder = Recorder()
        recorder.onChallenge = { challenge in
            if challenge.protectionSpace.isProxy() {
                let login = URLCredential(user: user, password: password, persistence: .none)
                challenge.sender?.use(login, for: challenge)
            } else {
                challenge.sender?.performDefaultHandling(for: challenge)
            }
        }
        return recorder
    }

    @Test func `the delegate is asked, and its answer opens an http proxy`() throws {
        try withWorld { world in
            let peer = try HTTPProxy(.init(login: "u:p"))
            let request = URLRequest(url: try world.named("/ok"), timeoutInterval: 10)
            let heard = world.load(request, via: .fixed(try peer.proxy()), recorder("u", "p"))
            #expect(heard.text == "hello world")
            #expect(peer.stop().count == 2)
            #expect(
                world.server.requests.last?.headers["Proxy-Authorization"] == nil)
        }
    }

    @Test func `the delegate is asked, and its answer opens a tunnel`() throws {
        try withWorld { world in
            let peer = try HTTPProxy(.init(login: "u:p"))
            let request = URLRequest(
                url: try world.secure.url("localhost"), timeoutInterval: 10)
            let heard = world.load(request, via: .fixed(try peer.proxy()), recorder("u", "p"))
            #expect(heard.text == "ok")
            #expect(peer.stop().count == 2)
        }
    }

    private func digestProxy() throws -> HTTPProxy {
        var settings = HTTPProxy.Settings(login: "u:p")
        settings.challenge = #"Digest realm="proxy", nonce="n1", qop="auth""#
        return try HTTPProxy(settings)
    }

    @Test func `Digest opens an http proxy with the second request, and the body goes out twice`()
        throws
    {
        try withWorld { world in
            let body = Data(repeating: 7, count: 100_000)
            for hasOwnLogin in [false, true] {
                let peer = try digestProxy()
                world.server.resetLog()
                var request = URLRequest(url: try world.named("/ok?a=b"), timeoutInterval: 10)
                request.httpMethod = "POST"
                request.httpBody = body
                let proxy = try hasOwnLogin ? peer.proxy("u", "p") : peer.proxy()
                let heard = world.load(request, via: .fixed(proxy), recorder("u", "p"))
                #expect(heard.text == "hello world")
                #expect(heard.count(.challenge) == (hasOwnLogin ? 0 : 1))
                let heads = peer.stop()
                #expect(heads.count == 2)
                #expect(heads.allSatisfy { $0.contains("Content-Length: 100000") })
                #expect(heads.last?.contains(#"nonce="n1", uri="/ok?a=b""#) == true)
                #expect(world.server.requests.map(\.bodyLength) == [100_000])
                #expect(world.server.requests.last?.headers["Proxy-Authorization"] == nil)
            }
        }
    }

    @Test func `Digest opens a tunnel with the second CONNECT`() throws {
        try withWorld { world in
            let peer = try digestProxy()
            let url = try world.secure.url("localhost")
            let request = URLRequest(url: url, timeoutInterval: 10)
            let heard = world.load(request, via: .fixed(try peer.proxy()), recorder("u", "p"))
            #expect(heard.text == "ok")
            #expect(heard.failureCounts == [0, 0], "the proxy's and the server's trust")
            let heads = peer.stop()
            #expect(heads.count == 2)
            let target = "localhost:\(url.port ?? 443)"
            #expect(heads.allSatisfy { $0.hasPrefix("CONNECT \(target) ") })
            #expect(heads.last?.contains("uri=\"\(target)\"") == true)
        }
    }

    @Test(arguments: [
        ("https://[::1]", "/", "[::1]:443"), ("https://[::1]:8443/a", "/a", "[::1]:8443"),
        ("https://u:p@H.test?x=y@z:1", "/?x=y@z:1", "H.test:443"),
        ("https://h.test:1/a/../b:c@d?#e?f", "/a/../b:c@d?", "h.test:1"),
    ])
    func `an answer is made for the target that libcurl writes`(
        url: String, target: String, tunnel: String
    ) throws {
        let url = try #require(URL(string: url))
        #expect(url.requestTarget == target)
        #expect(url.tunnelTarget == tunnel)
    }

    @Test(arguments: [
        ("http://u:p@H.test:80/a/../b?#f", "http://H.test/a/../b?"),
        ("http://[::1]:80?", "http://[::1]/?"), ("http://[fe80::80]/?", "http://[fe80::80]/?"),
        ("http://h.test:8080/x?a?", "http://h.test:8080/x?a?"),
        ("HTTP://@h.test:/@?", "http://h.test/@?"),
    ])
    func `the target for a proxy that forwards has the host of the field Host`(
        url: String, target: String
    ) throws {
        let url = try #require(URL(string: url))
        #expect(url.forwardedTarget == target)
    }

    @Test func `an empty query reaches a server through a proxy that forwards`() throws {
        try withWorld { world in
            let peer = try HTTPProxy()
            let url = try world.named("/ok?")
            #expect(world.load(url, via: try peer.proxy()).text == "hello world")
            let line = "GET \(url.absoluteString) HTTP/1.1"
            #expect(peer.stop().first?.hasPrefix(line) == true)
        }
    }

    @Test func `a proxy and a server that both want Digest cost three requests`() throws {
        try withWorld { world in
            let peer = try digestProxy()
            let url = try world.named("/digest-auth/auth/u/p")
            let asked = Recorder()
            asked.onChallenge = { challenge in
                let login = URLCredential(user: "u", password: "p", persistence: .none)
                challenge.sender?.use(login, for: challenge)
            }
            let request = URLRequest(url: url, timeoutInterval: 10)
            let heard = world.load(request, via: .fixed(try peer.proxy()), asked)
            #expect(heard.status == 200)
            #expect(heard.failureCounts == [0, 0])
            #expect(peer.stop().count == 3)
        }
    }

    @Test func `a wrong login is asked for again, then the refusal is the end`() throws {
        try withWorld { world in
            let peer = try HTTPProxy(.init(login: "u:p"))
            let plain = URLRequest(url: try world.named("/ok"), timeoutInterval: 10)
            let secure = URLRequest(
                url: try world.secure.url("localhost"), timeoutInterval: 10)
            let shown = world.load(plain, via: .fixed(try peer.proxy()), recorder("u", "bad"))
            #expect(shown.status == 407)
            let failed = world.load(secure, via: .fixed(try peer.proxy()), recorder("u", "bad"))
            #expect(failed.code == .userAuthenticationRequired)
            #expect(peer.stop().count == 4)
            #expect(world.secure.journal.handshakes == 0)
        }
    }

    @Test func `a login given to one proxy never goes to another`() throws {
        try withWorld { world in
            let (first, second) = (try HTTPProxy(.init(login: "u:p")), try HTTPProxy())
            let target = try world.secure.url("localhost").absoluteString
            world.server.add("/away") { _ in ScriptedResponse.redirect(to: target) }
            let request = URLRequest(url: try world.named("/away"), timeoutInterval: 10)
            let setting = ProxySetting.byScheme(
                http: try Proxy(.http, host: "127.0.0.1", port: Int(first.port)),
                https: try Proxy(.http, host: "127.0.0.1", port: Int(second.port)))
            let heard = world.load(request, via: setting, recorder("u", "p"))
            #expect(heard.text == "ok")
            #expect(first.stop().last?.contains("Authorization: Basic") == true)
            #expect(second.stop().allSatisfy { !$0.contains("Authorization") })
        }
    }

    @Test func `a 407 of a server behind the proxy is its answer, and asks for no login`() throws {
        try withWorld { world in
            let refusal =
                "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 3\r\n"
                + "Proxy-Authenticate: Basic realm=\"proxy\"\r\n\r\nown"
            var settings = world.cast.settings
            settings.answer = { _ in refusal }
            let secure = try TLSServer(settings)
            let (http, socks) = (try HTTPProxy(), try SOCKSProxy())
            world.server.add("/407") { _ in ScriptedResponse([.bytes(Data(refusal.utf8))]) }
            let loads = [
                (try secure.url("localhost"), try http.proxy()),
                (try secure.url("localhost"), try socks.proxy(.socks5h)),
                (try world.named("/407"), try socks.proxy(.socks5h)),
            ]
            for (url, proxy) in loads {
                let recorder = recorder("u", "p")
                let heard = world.load(
                    URLRequest(url: url, timeoutInterval: 10), via: .fixed(proxy), recorder)
                #expect(heard.status == 407 && heard.text == "own", "\(proxy) \(url)")
            }
            #expect(secure.stop().requests.count == 2)
            #expect(http.stop().count == 1 && socks.stop().count == 2)
        }
    }
}
