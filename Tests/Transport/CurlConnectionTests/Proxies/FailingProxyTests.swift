import ProxyPeer
import TLSPeer
import TestSupport

@testable import CurlConnection

@Suite("A proxy that fails is named", .timeLimit(.minutes(2)))
struct FailingProxyTests {
    @Test func `a proxy that is not there is named`() throws {
        try withWorld { world in
            let peer = try HTTPProxy()
            let proxy = try peer.proxy("login", "secret")
            peer.stop()
            for url in [world.server.url("/ok"), try world.secure.url("localhost")] {
                let heard = world.load(url, via: proxy)
                #expect(heard.code == .cannotConnectToHost)
                #expect(
                    heard.error?.localizedDescription
                        == "The proxy at 127.0.0.1:\(proxy.port) cannot be reached.")
                #expect(heard.error?.failingURL == url)
                let shown = "\(heard.error?.userInfo ?? [:])"
                #expect(!shown.contains("secret"))
            }
            let nowhere = try Proxy(.http, host: "no-such-name.invalid")
            #expect(world.load(world.server.url("/"), via: nowhere).code == .cannotFindHost)
        }
    }

    @Test func `a tunnel that is refused is an error with its status, and shows no answer`() throws
    {
        try withWorld { world in
            let url = try world.secure.url("localhost")
            for (status, code) in [
                (403, URLError.Code.cannotConnectToHost), (502, .cannotConnectToHost),
                (302, .cannotConnectToHost), (407, .userAuthenticationRequired),
            ] {
                let peer = try HTTPProxy(.init(fault: .refuse(status: status)))
                let heard = world.load(url, via: try peer.proxy())
                #expect(heard.order == [.willSend, .fail])
                #expect(heard.code == code)
                #expect(heard.error?.localizedDescription.contains("\(status)") == true)
                #expect(peer.stop().count == 1)
            }
            let peer = try HTTPProxy(.init(login: "u:p"))
            for proxy in [try peer.proxy(), try peer.proxy("u", "wrong")] {
                #expect(world.load(url, via: proxy).code == .userAuthenticationRequired)
            }
            #expect(peer.stop().count == 2)
            #expect(world.secure.journal.handshakes == 0)
        }
    }

    @Test func `a proxy that closes or talks nonsense ends the load`() throws {
        try withWorld { world in
            let url = try world.secure.url("localhost")
            for fault in [HTTPProxy.Fault.close, .garbage] {
                let peer = try HTTPProxy(.init(fault: fault))
                let heard = world.load(url, via: try peer.proxy())
                #expect(heard.code == .networkConnectionLost, "\(fault): \(heard.error as Any)")
                peer.stop()
            }
        }
    }

    @Test func `a proxy that is silent is waited for as long as the request says`() throws {
        try withWorld { world in
            let peer = try HTTPProxy(.init(fault: .silence))
            let request = URLRequest(
                url: try world.secure.url("localhost"), timeoutInterval: 0.5)
            #expect(world.load(request, via: .fixed(try peer.proxy())).code == .timedOut)
            peer.stop()
        }
    }

    @Test func `a proxy whose head does not end is left`() throws {
        try withWorld { world in
            let peer = try HTTPProxy(.init(fault: .endlessHead))
            let request = URLRequest(url: try world.secure.url("localhost"), timeoutInterval: 30)
            let start = Date()
            let heard = world.load(request, via: .fixed(try peer.proxy()))
            // Its limit ends the head, or, where that takes libcurl too long, `CallWatch`.
            let codes: [URLError.Code?] = [.dataLengthExceedsMaximum, .badServerResponse]
            #expect(codes.contains(heard.code), "\(heard.error as Any)")
            #expect(Date().timeIntervalSince(start) < 10)
            peer.stop()
        }
    }
}
