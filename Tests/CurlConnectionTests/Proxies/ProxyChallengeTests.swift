import Foundation
import FoundationNetworking
import LoopbackServer
import ProxyPeer
import TLSPeer
import Testing

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
        try withProxyFixture { fixture in
            let peer = try HTTPProxy(.init(login: "u:p"))
            let request = URLRequest(url: try fixture.named("/ok"), timeoutInterval: 10)
            let heard = fixture.load(request, via: .fixed(try peer.proxy()), recorder("u", "p"))
            #expect(heard.text == "hello world")
            #expect(peer.stop().count == 2)
            #expect(
                fixture.server.requests.last?.headers["Proxy-Authorization"] == nil)
        }
    }

    @Test func `the delegate is asked, and its answer opens a tunnel`() throws {
        try withProxyFixture { fixture in
            let peer = try HTTPProxy(.init(login: "u:p"))
            let request = URLRequest(
                url: try fixture.secure.url("localhost"), timeoutInterval: 10)
            let heard = fixture.load(request, via: .fixed(try peer.proxy()), recorder("u", "p"))
            #expect(heard.text == "ok")
            #expect(peer.stop().count == 2)
        }
    }

    @Test func `a wrong login is asked for again, then the refusal is the end`() throws {
        try withProxyFixture { fixture in
            let peer = try HTTPProxy(.init(login: "u:p"))
            let plain = URLRequest(url: try fixture.named("/ok"), timeoutInterval: 10)
            let secure = URLRequest(
                url: try fixture.secure.url("localhost"), timeoutInterval: 10)
            let shown = fixture.load(plain, via: .fixed(try peer.proxy()), recorder("u", "bad"))
            #expect(shown.status == 407)
            let failed = fixture.load(secure, via: .fixed(try peer.proxy()), recorder("u", "bad"))
            #expect(failed.code == .userAuthenticationRequired)
            #expect(peer.stop().count == 4)
            #expect(fixture.secure.journal.handshakes == 0)
        }
    }

    @Test func `a login given to one proxy never goes to another`() throws {
        try withProxyFixture { fixture in
            let (first, second) = (try HTTPProxy(.init(login: "u:p")), try HTTPProxy())
            let target = try fixture.secure.url("localhost").absoluteString
            fixture.server.add("/away") { _ in ScriptedResponse.redirect(to: target) }
            let request = URLRequest(url: try fixture.named("/away"), timeoutInterval: 10)
            let setting = ProxySetting.byScheme(
                http: try Proxy(.http, host: "127.0.0.1", port: Int(first.port)),
                https: try Proxy(.http, host: "127.0.0.1", port: Int(second.port)))
            let heard = fixture.load(request, via: setting, recorder("u", "p"))
            #expect(heard.text == "ok")
            #expect(first.stop().last?.contains("Authorization: Basic") == true)
            #expect(second.stop().allSatisfy { !$0.contains("Authorization") })
        }
    }

    @Test func `a 407 of a server behind the proxy is its answer, and asks for no login`() throws {
        try withProxyFixture { fixture in
            let refusal =
                "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 3\r\n"
                + "Proxy-Authenticate: Basic realm=\"proxy\"\r\n\r\nown"
            var settings = TLSServer.Settings(
                fixture.cast.good, chain: [fixture.cast.middle.certificate])
            settings.answer = { _ in refusal }
            let secure = try TLSServer(settings)
            let (http, socks) = (try HTTPProxy(), try SOCKSProxy())
            fixture.server.add("/407") { _ in ScriptedResponse([.bytes(Data(refusal.utf8))]) }
            let loads = [
                (try secure.url("localhost"), try http.proxy()),
                (try secure.url("localhost"), try socks.proxy(.socks5h)),
                (try fixture.named("/407"), try socks.proxy(.socks5h)),
            ]
            for (url, proxy) in loads {
                let recorder = recorder("u", "p")
                let heard = fixture.load(
                    URLRequest(url: url, timeoutInterval: 10), via: .fixed(proxy), recorder)
                #expect(heard.status == 407 && heard.text == "own", "\(proxy) \(url)")
            }
            #expect(secure.stop().requests.count == 2)
            #expect(http.stop().count == 1 && socks.stop().count == 2)
        }
    }
}
