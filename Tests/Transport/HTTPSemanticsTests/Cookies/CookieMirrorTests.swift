import TestSupport

@testable import HTTPSemantics

@Suite("Foundation's cookies, judged here", .timeLimit(.minutes(1)))
struct CookieMirrorTests {
    private let foundation: HTTPCookieStorage
    private var world: CookieWorld

    /// Foundation's only way to a storage that writes to no disk.
    init() throws {
        foundation = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        world = CookieWorld(CookieStorage(mirroring: foundation))
        world.now = Date()
        try #require(foundation.cookies?.isEmpty != false)
    }

    @Test
    func `what an answer sets is set there, and what it removes is removed there`() throws {
        world.store(
            "a=1; Domain=h.net; Path=/x; Max-Age=100; Secure; HttpOnly", "b=2",
            from: "https://h.net/")
        let cookies = try #require(foundation.cookies).sorted { $0.name < $1.name }
        #expect(cookies.map(\.name) == ["a", "b"])
        let (a, b) = (try #require(cookies.first), try #require(cookies.last))
        #expect((a.domain, a.path, a.value) == (".h.net", "/x", "1"))
        #expect(a.isSecure && a.isHTTPOnly && !a.isSessionOnly)
        #expect(abs(try #require(a.expiresDate).timeIntervalSince(world.now) - 100) < 1)
        #expect((b.domain, b.path, b.value) == ("h.net", "/", "2"))
        #expect(!b.isSecure && !b.isHTTPOnly && b.isSessionOnly && b.expiresDate == nil)
        world.store("a=1; Domain=h.net; Path=/x; Max-Age=0", "b=3", from: "https://h.net/")
        #expect(foundation.cookies?.map(\.value) == ["3"])
    }

    @Test
    func `what a caller sets or deletes there counts at once, under the rules here`() throws {
        foundation.setCookie(try cookie("host", "h.net"))
        foundation.setCookie(try cookie("domain", ".h.net", path: "/foo"))
        foundation.setCookie(try cookie("secure", "h.net", [.secure: "TRUE"]))
        #expect(world.header(for: "https://h.net/foo") == "domain=1; host=1; secure=1")
        #expect(world.header(for: "http://h.net/foobar") == "host=1")
        #expect(world.header(for: "http://www.h.net/foo") == "domain=1")
        foundation.deleteCookie(try cookie("host", "h.net"))
        #expect(world.header(for: "http://h.net/") == nil)
    }

    @Test
    func `cookies that break the rules never go out and stay where they are`() throws {
        foundation.setCookie(try cookie("suffix", ".co.uk"))
        foundation.setCookie(try cookie("inject", ".h.co.uk", value: "1\r\nX: y"))
        foundation.setCookie(try cookie("__Host-x", ".h.co.uk"))
        foundation.setCookie(try cookie("more", ".h.co.uk", value: "1; b=2"))
        foundation.setCookie(
            try cookie("old", ".h.co.uk", [.expires: world.now.addingTimeInterval(0.2)]))
        let (here, other) = ("https://h.co.uk/", "https://other.co.uk/")
        var later = world
        later.now += 1
        #expect(later.header(for: here) == nil)
        #expect(later.header(for: other) == nil)
        later.store("good=1", from: here)
        #expect(later.header(for: here) == "good=1")
        let left = Set(try #require(foundation.cookies).map(\.name))
        #expect(left.isSuperset(of: ["suffix", "inject", "__Host-x", "more", "good"]))
    }

    @Test
    func `a cookie Foundation made of an answer can be replaced and removed`() throws {
        let url = CookieWorld.url("http://localhost/")
        let made = HTTPCookie.cookies(
            withResponseHeaderFields: ["Set-Cookie": "a=1; Domain=localhost"], for: url)
        made.forEach(foundation.setCookie)
        #expect(world.header(for: "http://localhost/") == "a=1")
        world.store("a=2; Domain=localhost", from: "http://localhost/")
        #expect(world.header(for: "http://localhost/") == "a=2")
        #expect(foundation.cookies?.count == 1)
        world.storage.removeAll()
        #expect(foundation.cookies?.isEmpty != false)
    }

    @Test
    func `the accept policy is the other storage's`() {
        foundation.cookieAcceptPolicy = .never
        #expect(world.storage.cookieAcceptPolicy == .never)
        world.store("a=1", from: "http://h.net/")
        #expect(foundation.cookies?.isEmpty != false)
        world.storage.cookieAcceptPolicy = .always
        #expect(foundation.cookieAcceptPolicy == .always)
    }

    @Test
    func `threads that store at the same time lose nothing`() {
        DispatchQueue.concurrentPerform(iterations: 8) { [world] index in
            for count in 0..<10 {
                world.store("c\(count)=1", from: "http://h\(index).net/")
            }
        }
        #expect(world.storage.cookies.count == 80)
    }
}
