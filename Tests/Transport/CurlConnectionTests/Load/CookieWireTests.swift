import CurlConnection
import TestSupport

@Suite("Cookies on the wire", .timeLimit(.minutes(1)))
struct CookieWireTests {
    /// The Cookie fields the server got since the last look.
    private func sent(to server: LoopbackServer) -> [String?] {
        defer { server.resetLog() }
        return server.requests.map { $0.headers["Cookie"] }
    }

    private func setting(_ fields: String..., status: Int = 200) -> ScriptedResponse {
        .text("set", status: status, headers: fields.map { ("Set-Cookie", $0) })
    }

    // MARK: What is set is sent

    @Test func `what an answer sets the next request carries`() throws {
        try withWorld { world in
            world.server.add("/set") { _ in setting("a=1", "b=2; Path=/deep", "c=3; Max-Age=60") }
            _ = world.fetch("/set")
            _ = world.fetch("/cookies")
            _ = world.fetch("/deep/er")
            #expect(sent(to: world.server) == [nil, "a=1; c=3", "b=2; a=1; c=3"])
        }
    }

    @Test func `each Set-Cookie line is a cookie of its own, dates with commas included`() throws {
        try withWorld { world in
            let expires = "Expires=Wed, 09 Jun 2100 10:18:14 GMT"
            world.server.add("/set") { _ in setting("a=1; \(expires)", "b=x,y; \(expires)") }
            _ = world.fetch("/set")
            _ = world.fetch("/cookies")
            #expect(sent(to: world.server) == [nil, "a=1; b=x,y"])
        }
    }

    @Test func `a domain's cookie goes to its hosts, not to a public suffix or another (R58)`()
        throws
    {
        try withWorld { world in
            world.server.add("/set") { _ in
                setting(
                    "own=1", "site=1; Domain=.SITE.localhost", "suffix=1; Domain=localhost",
                    "other=1; Domain=other.localhost", "below=1; Domain=b.a.site.localhost")
            }
            for (path, host) in [
                ("/set", "a.site.localhost"), ("/ok", "a.site.localhost"),
                ("/ok", "b.site.localhost"), ("/ok", "site.localhost"), ("/ok", "other.localhost"),
                ("/ok", "notsite.localhost"), ("/ok", "localhost"),
            ] {
                _ = world.fetch(URLRequest(url: world.server.url(path, host: host)))
            }
            #expect(
                sent(to: world.server) == [nil, "own=1; site=1", "site=1", "site=1", nil, nil, nil])
        }
    }

    @Test func `a server in cleartext sets no Secure cookie`() throws {
        try withWorld { world in
            world.server.add("/set") { _ in setting("a=1; Secure", "__Host-b=2; Path=/", "c=3") }
            _ = world.fetch("/set")
            _ = world.fetch("/cookies")
            #expect(sent(to: world.server) == [nil, "c=3"])
        }
    }

    // MARK: Redirects

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect to another host carries none of the first one's cookies`(status: Int) throws {
        try withWorld { world in
            let target = world.other.url("/back").absoluteString
            let home = world.address("/cookies")
            world.server.add("/away") { _ in
                .text(
                    "", status: status,
                    headers: [("Location", target), ("Set-Cookie", "own=1; Path=/")])
            }
            world.other.add("/back") { _ in
                .text(
                    "", status: status,
                    headers: [("Location", home), ("Set-Cookie", "other=1; Path=/")])
            }
            _ = world.fetch("/away")
            #expect(sent(to: world.other) == [nil])
            // And back home only what is from home.
            #expect(sent(to: world.server) == [nil, "own=1"])
            _ = world.fetch(URLRequest(url: world.other.url("/ok")))
            #expect(sent(to: world.other) == ["other=1"])
        }
    }

    @Test func `a redirect that the delegate refuses still sets its cookies`() throws {
        try withWorld { world in
            let listener = StoreListener()
            listener.onWillSend = { request, redirect in redirect == nil ? request : nil }
            #expect(world.fetch(world.request("/cookies/set/a/1"), listener).status == 302)
            #expect(world.cookies.cookies.map(\.name) == ["a"])
        }
    }

    // MARK: Refusals and conditions

    @Test func `the cookie of a 401 is stored and goes with the credential`() throws {
        try withWorld { world in
            world.server.add("/locked") { request in
                if request.headers["Authorization"] != nil { return .text("in") }
                return .text(
                    "", status: 401,
                    headers: [("WWW-Authenticate", "Basic realm=\"r\""), ("Set-Cookie", "a=1")])
            }
            let listener = StoreListener()
            listener.credential = URLCredential(user: "u", password: "p", persistence: .none)
            #expect(world.fetch(world.request("/locked"), listener).text == "in")
            #expect(sent(to: world.server) == [nil, "a=1"])
        }
    }

    @Test func `the cookie of a 401 that is the answer is stored`() throws {
        try withWorld { world in
            world.server.add("/locked") { _ in setting("a=1", status: 401) }
            #expect(world.fetch("/locked").status == 401)
            #expect(world.cookies.cookies.map(\.name) == ["a"])
        }
    }

    @Test func `the cookie of a 401 that a second Digest try answers is stored`() throws {
        try withWorld { world in
            // Given a server whose nonce is stale once: the second refusal is inside one exchange
            let nonces = Turn()
            world.server.add("/locked") { request in
                let field = request.headers["Authorization"] ?? ""
                if field.contains("nonce=\"n2\"") { return .text("in") }
                let number = nonces.next()
                let stale = field.isEmpty ? "" : ", stale=true"
                let nonce = field.isEmpty ? "n1" : "n2"
                return .text(
                    "", status: 401,
                    headers: [
                        (
                            "WWW-Authenticate",
                            "Digest realm=\"r\", nonce=\"\(nonce)\", qop=\"auth\"\(stale)"
                        ), ("Set-Cookie", "c\(number)=1"),
                    ])
            }
            let listener = StoreListener()
            listener.credential = URLCredential(user: "u", password: "p", persistence: .none)
            #expect(world.fetch(world.request("/locked"), listener).text == "in")
            let names = Set(world.cookies.cookies.map(\.name))
            #expect(names == Set((1...nonces.count).map { "c\($0)" }))
        }
    }

    @Test func `the cookie of a 304 is stored`() throws {
        try withWorld { world in
            world.server.add("/tagged") { request in
                let fields = [("ETag", "\"1\""), ("Cache-Control", "no-cache")]
                return request.headers["If-None-Match"] == nil
                    ? .text("body", headers: fields)
                    : .status(304, headers: fields + [("Set-Cookie", "a=1")])
            }
            #expect(world.fetch("/tagged").text == "body")
            #expect(world.fetch("/tagged").text == "body")
            #expect(world.cookies.cookies.map(\.name) == ["a"])
        }
    }

    @Test func `an answer out of the cache sets no cookie again`() throws {
        try withWorld { world in
            world.server.add("/kept") { _ in
                .text("kept", headers: [("Cache-Control", "max-age=60"), ("Set-Cookie", "a=1")])
            }
            _ = world.fetch("/kept")
            world.cookies.removeAll()
            #expect(world.fetch("/kept").text == "kept")
            #expect(world.cookies.cookies.isEmpty)
            #expect(world.server.requests.count == 1)
        }
    }

    @Test func `the cookie of a failed load is stored with its head`() throws {
        try withWorld { world in
            world.server.add("/cut") { _ in
                let head = ScriptedResponse.head(
                    200, [("Content-Length", "9"), ("Set-Cookie", "a=1")])
                return ScriptedResponse([.bytes(head), .close])
            }
            #expect(world.fetch("/cut").code == .networkConnectionLost)
            #expect(world.cookies.cookies.map(\.name) == ["a"])
        }
    }

    // MARK: Who decides

    @Test func `without httpShouldHandleCookies none is sent and none is kept`() throws {
        try withWorld { world in
            _ = world.fetch("/cookies/set/a/1")
            world.server.resetLog()
            var request = world.request("/cookies/set/b/2")
            request.httpShouldHandleCookies = false
            _ = world.fetch(request)
            #expect(sent(to: world.server) == [nil, nil])
            #expect(world.cookies.cookies.map(\.name) == ["a"])
        }
    }

    @Test func `without a storage none is sent and none is kept`() throws {
        try withWorld { world in
            let storage = world.cookies
            world.configuration.cookieStorage = nil
            _ = world.fetch("/cookies/set/a/1")
            #expect(sent(to: world.server) == [nil, nil])
            #expect(storage.cookies.isEmpty)
        }
    }

    @Test func `a Cookie field of the caller is sent as it is, to its own origin alone`() throws {
        try withWorld { world in
            _ = world.fetch("/cookies/set/a/1")
            world.server.resetLog()
            let away = world.other.url("/ok").absoluteString
            _ = world.fetch("/redirect?to=/ok", headers: ["Cookie": "mine=; b"])
            _ = world.fetch("/redirect?to=\(away)", headers: ["Cookie": "mine=; b"])
            #expect(sent(to: world.server) == ["mine=; b", "mine=; b", "mine=; b"])
            #expect(sent(to: world.other) == [nil])
        }
    }

    @Test func `no request that the delegate sees has a cookie of the storage`() throws {
        try withWorld { world in
            _ = world.fetch("/cookies/set/a/1")
            let heard = world.fetch("/redirect-chain?n=2")
            #expect(heard.proposals.count == 3)
            let seen = heard.proposals + [heard.lastRequest].compactMap(\.self)
            #expect(seen.compactMap { $0.value(forHTTPHeaderField: "Cookie") }.isEmpty)
            #expect(sent(to: world.server) == [nil, "a=1", "a=1", "a=1", "a=1"])
        }
    }

    @Test func `only cookies of the main document's site are taken when asked so`() throws {
        try withWorld { world in
            world.cookies.cookieAcceptPolicy = .onlyFromMainDocumentDomain
            var request = world.request("/cookies/set/a/1")
            request.mainDocumentURL = world.other.url("/")
            _ = world.fetch(request)
            #expect(world.cookies.cookies.isEmpty)
            request.mainDocumentURL = world.server.url("/page")
            _ = world.fetch(request)
            #expect(world.cookies.cookies.map(\.name) == ["a"])
        }
    }

    // MARK: Storages

    @Test func `the shared storage is the default, in memory alone`() throws {
        let shared = CookieStorage.shared
        #expect(URLConnectionConfiguration().cookieStorage === shared)
        try withWorld { world in
            world.configuration.cookieStorage = shared
            let name = "wire\(UUID().uuidString)"
            _ = world.fetch("/cookies/set/\(name)/1")
            let mine = shared.cookies.filter { $0.name == name }
            #expect(mine.count == 1)
            mine.forEach(shared.deleteCookie)
            let names = HTTPCookieStorage.shared.cookies?.map(\.name) ?? []
            #expect(!names.contains(name))
        }
    }
}
