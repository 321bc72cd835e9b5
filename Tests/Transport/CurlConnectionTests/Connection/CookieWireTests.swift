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

    private func file() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    }

    // MARK: What is set is sent

    @Test func `what an answer sets the next request carries`() throws {
        try withStoreRoom { room in
            room.server.add("/set") { _ in setting("a=1", "b=2; Path=/deep", "c=3; Max-Age=60") }
            _ = room.load("/set")
            _ = room.load("/cookies")
            _ = room.load("/deep/er")
            #expect(sent(to: room.server) == [nil, "a=1; c=3", "b=2; a=1; c=3"])
        }
    }

    @Test func `each Set-Cookie line is a cookie of its own, dates with commas included`() throws {
        try withStoreRoom { room in
            let expires = "Expires=Wed, 09 Jun 2100 10:18:14 GMT"
            room.server.add("/set") { _ in setting("a=1; \(expires)", "b=x,y; \(expires)") }
            _ = room.load("/set")
            _ = room.load("/cookies")
            #expect(sent(to: room.server) == [nil, "a=1; b=x,y"])
        }
    }

    @Test func `a cookie that is deleted is not sent any more`() throws {
        try withStoreRoom { room in
            _ = room.load("/cookies/set?a=1&b=2")
            _ = room.load("/cookies/delete?a")
            #expect(sent(to: room.server) == [nil, "a=1; b=2", "a=1; b=2", "b=2"])
            #expect(room.cookies.cookies.map(\.name) == ["b"])
        }
    }

    @Test func `one host's cookie goes to its other ports and to no other host`() throws {
        try withStoreRoom { room in
            let port = LoopbackServer()
            try port.start()
            defer { port.stop() }
            room.server.add("/set") { _ in setting("a=1; Domain=127.0.0.1", "b=2") }
            _ = room.load("/set")
            _ = room.load(URLRequest(url: port.url("/ok")))
            _ = room.load(URLRequest(url: room.other.url("/ok")))
            #expect(sent(to: port) == ["a=1; b=2"])
            #expect(sent(to: room.other) == [nil])
        }
    }

    @Test func `a domain's cookie goes to its hosts, not to a public suffix or another (R58)`()
        throws
    {
        try withStoreRoom { room in
            room.server.add("/set") { _ in
                setting(
                    "own=1", "site=1; Domain=.SITE.localhost", "suffix=1; Domain=localhost",
                    "other=1; Domain=other.localhost", "below=1; Domain=b.a.site.localhost")
            }
            for (path, host) in [
                ("/set", "a.site.localhost"), ("/ok", "a.site.localhost"),
                ("/ok", "b.site.localhost"), ("/ok", "site.localhost"), ("/ok", "other.localhost"),
                ("/ok", "notsite.localhost"), ("/ok", "localhost"),
            ] {
                _ = room.load(URLRequest(url: room.server.url(path, host: host)))
            }
            #expect(
                sent(to: room.server) == [nil, "own=1; site=1", "site=1", "site=1", nil, nil, nil])
        }
    }

    @Test func `a server in cleartext sets no Secure cookie`() throws {
        try withStoreRoom { room in
            room.server.add("/set") { _ in setting("a=1; Secure", "__Host-b=2; Path=/", "c=3") }
            _ = room.load("/set")
            _ = room.load("/cookies")
            #expect(sent(to: room.server) == [nil, "c=3"])
        }
    }

    @Test func `of an answer with 200 cookies fifty are kept`() throws {
        try withStoreRoom { room in
            room.server.add("/set") { _ in
                .text("", headers: (0..<200).map { ("Set-Cookie", "n\($0)=1") })
            }
            #expect(room.load("/set").status == 200)
            #expect(room.cookies.cookies.count == 50)
        }
    }

    // MARK: Redirects

    @Test func `a redirect's cookie goes with the next request to the same host`() throws {
        try withStoreRoom { room in
            #expect(room.load("/cookies/set/a/1").text.contains("\"a\":\"1\""))
            #expect(sent(to: room.server) == [nil, "a=1"])
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect to another host carries none of the first one's cookies`(status: Int) throws {
        try withStoreRoom { room in
            let target = room.other.url("/back").absoluteString
            let home = room.server.url("/cookies").absoluteString
            room.server.add("/away") { _ in
                .text(
                    "", status: status,
                    headers: [("Location", target), ("Set-Cookie", "own=1; Path=/")])
            }
            room.other.add("/back") { _ in
                .text(
                    "", status: status,
                    headers: [("Location", home), ("Set-Cookie", "other=1; Path=/")])
            }
            _ = room.load("/away")
            #expect(sent(to: room.other) == [nil])
            // And back home only what is from home.
            #expect(sent(to: room.server) == [nil, "own=1"])
            _ = room.load(URLRequest(url: room.other.url("/ok")))
            #expect(sent(to: room.other) == ["other=1"])
        }
    }

    @Test func `a redirect that the delegate refuses still sets its cookies`() throws {
        try withStoreRoom { room in
            let listener = StoreListener()
            listener.onWillSend = { request, redirect in redirect == nil ? request : nil }
            #expect(room.load(room.request("/cookies/set/a/1"), listener).status == 302)
            #expect(room.cookies.cookies.map(\.name) == ["a"])
        }
    }

    // MARK: Refusals and conditions

    @Test func `the cookie of a 401 is stored and goes with the credential`() throws {
        try withStoreRoom { room in
            room.server.add("/locked") { request in
                if request.headers["Authorization"] != nil { return .text("in") }
                return .text(
                    "", status: 401,
                    headers: [("WWW-Authenticate", "Basic realm=\"r\""), ("Set-Cookie", "a=1")])
            }
            let listener = StoreListener()
            listener.credential = URLCredential(user: "u", password: "p", persistence: .none)
            #expect(room.load(room.request("/locked"), listener).text == "in")
            #expect(sent(to: room.server) == [nil, "a=1"])
        }
    }

    @Test func `the cookie of a 401 that is the answer is stored`() throws {
        try withStoreRoom { room in
            room.server.add("/locked") { _ in setting("a=1", status: 401) }
            #expect(room.load("/locked").status == 401)
            #expect(room.cookies.cookies.map(\.name) == ["a"])
        }
    }

    @Test func `the cookie of a 401 that a second Digest try answers is stored`() throws {
        try withStoreRoom { room in
            // Given a server whose nonce is stale once: the second refusal is inside one exchange
            let nonces = Turn()
            room.server.add("/locked") { request in
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
            #expect(room.load(room.request("/locked"), listener).text == "in")
            let names = Set(room.cookies.cookies.map(\.name))
            #expect(names == Set((1...nonces.count).map { "c\($0)" }))
        }
    }

    @Test func `the cookie of a 304 is stored`() throws {
        try withStoreRoom { room in
            room.server.add("/tagged") { request in
                let fields = [("ETag", "\"1\""), ("Cache-Control", "no-cache")]
                return request.headers["If-None-Match"] == nil
                    ? .text("body", headers: fields)
                    : .status(304, headers: fields + [("Set-Cookie", "a=1")])
            }
            #expect(room.load("/tagged").text == "body")
            #expect(room.load("/tagged").text == "body")
            #expect(room.cookies.cookies.map(\.name) == ["a"])
        }
    }

    @Test func `an answer out of the cache sets no cookie again`() throws {
        try withStoreRoom { room in
            room.server.add("/kept") { _ in
                .text("kept", headers: [("Cache-Control", "max-age=60"), ("Set-Cookie", "a=1")])
            }
            _ = room.load("/kept")
            room.cookies.removeAll()
            #expect(room.load("/kept").text == "kept")
            #expect(room.cookies.cookies.isEmpty)
            #expect(room.server.requests.count == 1)
        }
    }

    @Test func `the cookie of a failed load is stored with its head`() throws {
        try withStoreRoom { room in
            room.server.add("/cut") { _ in
                let head = ScriptedResponse.head(
                    200, [("Content-Length", "9"), ("Set-Cookie", "a=1")])
                return ScriptedResponse([.bytes(head), .close])
            }
            #expect(room.load("/cut").code == .networkConnectionLost)
            #expect(room.cookies.cookies.map(\.name) == ["a"])
        }
    }

    // MARK: Who decides

    @Test func `without httpShouldHandleCookies none is sent and none is kept`() throws {
        try withStoreRoom { room in
            _ = room.load("/cookies/set/a/1")
            room.server.resetLog()
            var request = room.request("/cookies/set/b/2")
            request.httpShouldHandleCookies = false
            _ = room.load(request)
            #expect(sent(to: room.server) == [nil, nil])
            #expect(room.cookies.cookies.map(\.name) == ["a"])
        }
    }

    @Test func `without a storage none is sent and none is kept`() throws {
        try withStoreRoom { room in
            let storage = room.cookies
            room.configuration.cookieStorage = nil
            _ = room.load("/cookies/set/a/1")
            #expect(sent(to: room.server) == [nil, nil])
            #expect(storage.cookies.isEmpty)
        }
    }

    @Test func `a Cookie field of the caller is sent as it is, to its own origin alone`() throws {
        try withStoreRoom { room in
            _ = room.load("/cookies/set/a/1")
            room.server.resetLog()
            let away = room.other.url("/ok").absoluteString
            _ = room.load("/redirect?to=/ok", headers: ["Cookie": "mine=; b"])
            _ = room.load("/redirect?to=\(away)", headers: ["Cookie": "mine=; b"])
            #expect(sent(to: room.server) == ["mine=; b", "mine=; b", "mine=; b"])
            #expect(sent(to: room.other) == [nil])
        }
    }

    @Test func `no request that the delegate sees has a cookie of the storage`() throws {
        try withStoreRoom { room in
            _ = room.load("/cookies/set/a/1")
            let heard = room.load("/redirect-chain?n=2")
            #expect(heard.proposals.count == 3)
            let seen = heard.proposals + [heard.lastRequest].compactMap(\.self)
            #expect(seen.compactMap { $0.value(forHTTPHeaderField: "Cookie") }.isEmpty)
            #expect(sent(to: room.server) == [nil, "a=1", "a=1", "a=1", "a=1"])
        }
    }

    @Test func `an accept policy of never stores nothing`() throws {
        try withStoreRoom { room in
            room.cookies.cookieAcceptPolicy = .never
            _ = room.load("/cookies/set/a/1")
            #expect(room.cookies.cookies.isEmpty)
        }
    }

    @Test func `only cookies of the main document's site are taken when asked so`() throws {
        try withStoreRoom { room in
            room.cookies.cookieAcceptPolicy = .onlyFromMainDocumentDomain
            var request = room.request("/cookies/set/a/1")
            request.mainDocumentURL = room.other.url("/")
            _ = room.load(request)
            #expect(room.cookies.cookies.isEmpty)
            request.mainDocumentURL = room.server.url("/page")
            _ = room.load(request)
            #expect(room.cookies.cookies.map(\.name) == ["a"])
        }
    }

    // MARK: Storages

    @Test func `a file keeps cookies for the next process, but those of the session`() throws {
        let file = file()
        defer { try? FileManager.default.removeItem(at: file) }
        try withStoreRoom { room in
            room.server.add("/set") { _ in setting("kept=1; Max-Age=3600", "session=1") }
            let first = try CookieStorage(file: file)
            room.configuration.cookieStorage = first
            _ = room.load("/set")
            try first.flush()
            room.configuration.cookieStorage = try CookieStorage(file: file)
            _ = room.load("/cookies")
            #expect(sent(to: room.server) == [nil, "kept=1"])
        }
    }

    @Test func `the shared storage is the default, in memory alone`() throws {
        let shared = CookieStorage.shared
        #expect(URLConnectionConfiguration().cookieStorage === shared)
        try withStoreRoom { room in
            room.configuration.cookieStorage = shared
            let name = "wire\(UUID().uuidString)"
            _ = room.load("/cookies/set/\(name)/1")
            let mine = shared.cookies.filter { $0.name == name }
            #expect(mine.count == 1)
            mine.forEach(shared.deleteCookie)
            let names = HTTPCookieStorage.shared.cookies?.map(\.name) ?? []
            #expect(!names.contains(name))
        }
    }
}
