import ProxyPeer
import TLSPeer
import TestSupport

@testable import CurlConnection

@Suite("A SOCKS proxy passes bytes on", .timeLimit(.minutes(2)))
struct SOCKSProxyTests {
    private static let kinds: [(Proxy.Kind, version: Int, form: SOCKSProxy.Request.Form)] = [
        (.socks4, 4, .four), (.socks4a, 4, .name), (.socks5, 5, .four), (.socks5h, 5, .name),
    ]

    @Test func `names are looked up here or by the proxy, as the kind says`() throws {
        try withWorld { world in
            for (kind, version, form) in Self.kinds {
                let peer = try SOCKSProxy()
                let url = try world.named("/ok", host: "localhost")
                #expect(world.load(url, via: try peer.proxy(kind)).text == "hello world")
                let secure = try world.secure.url("localhost")
                let heard = world.load(secure, via: try peer.proxy(kind))
                #expect(heard.text == "ok", "\(kind): \(heard.error as Any)")
                for (request, port) in zip(
                    peer.stop(), [world.server.port, world.secure.port])
                {
                    #expect(request.version == version, "\(kind)")
                    // libcurl 8 gives a SOCKS 5 proxy the first address, of either family.
                    let isSix = kind == .socks5 && request.form == .six
                    #expect(request.form == form || isSix, "\(kind)")
                    let host = form == .name ? "localhost" : isSix ? "::1" : "127.0.0.1"
                    #expect(request.host == host, "\(kind)")
                    #expect(request.port == port)
                }
                #expect(peer.connections == 2)
            }
        }
    }

    @Test func `a name that is not known here is known where the proxy looks it up`() throws {
        try withWorld { world in
            for (kind, _, form) in Self.kinds {
                let peer = try SOCKSProxy()
                let heard = world.load(try world.named("/ok"), via: try peer.proxy(kind))
                if form == .name {
                    #expect(heard.text == "hello world", "\(kind)")
                } else {
                    #expect(heard.code == .cannotFindHost, "\(kind) \(heard.error as Any)")
                }
                #expect(peer.stop().count == (form == .name ? 1 : 0))
            }
        }
    }

    @Test func `a login goes to the proxy and is never seen by a server`() throws {
        try withWorld { world in
            let user = "us\u{e9}r:@/%41"
            let password = "p%25:@/?#\u{fc} "
            for kind in [Proxy.Kind.socks5, .socks5h] {
                let peer = try SOCKSProxy(.init(user: user, password: password))
                let proxy = try peer.proxy(kind, user, password)
                let heard = world.load(
                    try world.named("/headers", host: "localhost"), via: proxy)
                #expect(heard.status == 200)
                #expect(!heard.text.lowercased().contains("proxy"))
                #expect(!heard.text.lowercased().contains("authorization"))
                #expect(peer.stop().first?.password == password)
            }
            for kind in [Proxy.Kind.socks4, .socks4a] {
                let peer = try SOCKSProxy(.init(user: user))
                let url = try world.named("/ok", host: "localhost")
                #expect(world.load(url, via: try peer.proxy(kind, user)).status == 200)
                #expect(peer.stop().first?.user == user)
            }
        }
    }

    @Test func `a login that is refused says so`() throws {
        try withWorld { world in
            let url = try world.named("/ok", host: "localhost")
            let five = try SOCKSProxy(.init(user: "u", password: "p"))
            for proxy in [try five.proxy(.socks5h, "u", "wrong"), try five.proxy(.socks5h)] {
                let heard = world.load(url, via: proxy)
                #expect(heard.code == .userAuthenticationRequired)
                #expect(
                    heard.error?.localizedDescription
                        == "The proxy at 127.0.0.1:\(five.port) wants another login.")
            }
            five.stop()
            let four = try SOCKSProxy(.init(user: "u"))
            let heard = world.load(url, via: try four.proxy(.socks4a, "other"))
            #expect(heard.code == .userAuthenticationRequired)
            four.stop()
            #expect(world.server.requests.isEmpty)
        }
    }

    @Test func `a proxy that makes no connection says why`() throws {
        try withWorld { world in
            let url = try world.named("/ok", host: "localhost")
            for (reply, text) in [
                (1, "made no connection to the server."), (2, "does not allow the server."),
                (4, "could not reach the server."), (5, "could not reach the server."),
            ] as [(UInt8, String)] {
                let peer = try SOCKSProxy(.init(reply: reply))
                let heard = world.load(url, via: try peer.proxy(.socks5h))
                #expect(heard.code == .cannotConnectToHost)
                #expect(heard.error?.localizedDescription.hasSuffix(text) == true, "\(reply)")
                peer.stop()
            }
            var settings = SOCKSProxy.Settings()
            settings.closes = true
            let peer = try SOCKSProxy(settings)
            let heard = world.load(url, via: try peer.proxy(.socks5h))
            #expect(heard.code == .networkConnectionLost)
            peer.stop()
        }
    }
}
