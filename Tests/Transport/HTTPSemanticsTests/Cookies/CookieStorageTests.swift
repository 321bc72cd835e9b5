import TestSupport

@testable import HTTPSemantics

@Suite("The caller's side of the cookie storage", .timeLimit(.minutes(1)))
struct CookieStorageTests {
    private let storage = CookieStorage()
    private let url = CookieWorld.url("https://www.h.co.uk/in/x")

    @Test(arguments: ["www.h.co.uk", ".h.co.uk"])
    func `a cookie comes back as it was set`(_ domain: String) throws {
        let expiry = Date() + 100
        let full: [HTTPCookiePropertyKey: Any] = [
            .expires: expiry, .secure: "TRUE", HTTPCookiePropertyKey("HttpOnly"): "TRUE",
        ]
        storage.setCookie(try cookie("full", domain, path: "/in", value: "v w", full))
        storage.setCookie(try cookie("bare", domain))
        let found = storage.cookies(for: url)
        #expect(found.map(\.name) == ["full", "bare"])
        let (first, last) = (try #require(found.first), try #require(found.last))
        #expect((first.value, first.domain, first.path) == ("v w", domain, "/in"))
        #expect(first.isSecure && first.isHTTPOnly && !first.isSessionOnly)
        #expect(first.expiresDate == expiry)
        #expect((last.value, last.domain, last.path) == ("1", domain, "/"))
        #expect(!last.isSecure && !last.isHTTPOnly && last.isSessionOnly)
        #expect(storage.cookies.count == 2)
        let above = storage.cookies(for: CookieWorld.url("https://a.www.h.co.uk/in")).count
        #expect(above == (domain.hasPrefix(".") ? 2 : 0))
    }

    @Test
    func `a caller's cookie keeps the rules or is not stored`() throws {
        for cookie in [
            try cookie("", "h.net"), try cookie("a=b", "h.net"), try cookie("a;b", "h.net"),
            try cookie("a", "h.net", value: "b; c=d"), try cookie("a", "h.net", value: "b\r\nX: y"),
            try cookie("a\n", "h.net"), try cookie("a", "h.net", path: "x"),
            try cookie("a", "h.net", path: "/\u{7F}"), try cookie("a", "h..net"),
            try cookie("a", "h.net", value: String(repeating: "x", count: 4_096)),
            try cookie("__Secure-a", "h.net"), try cookie("a", "h.net", [.expires: Date() - 1]),
        ] {
            storage.setCookie(cookie)
            #expect(storage.cookies.isEmpty, "\(cookie)")
        }
    }

    @Test
    func `a caller's cookie for a public suffix is for that host alone`() throws {
        storage.setCookie(try cookie("a", ".co.uk"))
        #expect(storage.cookies(for: url).isEmpty)
        #expect(storage.cookies(for: CookieWorld.url("http://co.uk/")).map(\.domain) == ["co.uk"])
    }

    @Test
    func `deleting needs name, domain and path to be the same`() throws {
        storage.setCookie(try cookie("a", ".h.co.uk", path: "/in"))
        for other in [
            try cookie("b", ".h.co.uk", path: "/in"), try cookie("a", "h.co.uk", path: "/in"),
            try cookie("a", ".h.co.uk"),
        ] {
            storage.deleteCookie(other)
        }
        #expect(storage.cookies(for: url).count == 1)
        storage.deleteCookie(try cookie("a", ".H.co.uk", path: "/in", value: "other"))
        #expect(storage.cookies.isEmpty)
    }

    @Test
    func `removing since a moment removes what was made after it, not what was replaced`() {
        var world = CookieWorld(storage)
        world.store("a=1", from: "http://h.net/")
        world.now += 1
        world.store("b=1", "a=2", from: "http://h.net/")
        storage.removeCookies(since: CookieWorld.start)
        #expect(world.header(for: "http://h.net/") == "a=2")
        storage.removeCookies(since: CookieWorld.start - 1)
        #expect(world.header(for: "http://h.net/") == nil)
    }

    @Test
    func `any threads may store, ask and remove at the same time`() {
        let world = CookieWorld(storage)
        DispatchQueue.concurrentPerform(iterations: 8) { index in
            for count in 0..<50 {
                world.store("c\(count)=\(index)", from: "http://h\(index % 2).net/")
                _ = world.header(for: "http://h1.net/")
                _ = storage.cookies.count
            }
        }
        #expect(storage.cookies.count == 100)
        #expect(world.header(for: "http://h0.net/")?.split(separator: "; ").count == 50)
    }

    @Test
    func `a storage that was never told a file leaves none; flush has nothing to do`() throws {
        storage.setCookie(try cookie("a", "h.net", [.expires: Date() + 100]))
        try storage.flush()
        #expect(CookieStorage().cookies.isEmpty)
        #expect(CookieStorage.shared === CookieStorage.shared)
    }
}
