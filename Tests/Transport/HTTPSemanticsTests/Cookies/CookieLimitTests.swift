import TestSupport

@testable import HTTPSemantics

@Suite("No server fills the cookie storage", .timeLimit(.minutes(1)))
struct CookieLimitTests {
    private var world = CookieWorld()

    @Test
    func `50 fields of an answer are looked at`() {
        world.storage.store(
            setCookieFields: (0..<1_000).map { "m\($0)=1" },
            from: CookieWorld.url("http://h.net/"), at: world.now)
        #expect(world.storage.cookies.count == 50)
        #expect(world.header(for: "http://h.net/")?.hasSuffix("; m49=1") == true)
    }

    @Test
    func `at most 8,190 bytes are sent, from the first cookie in their order`() {
        let long = String(repeating: "x", count: 4_000)
        world.store("a=\(long)", "b=\(long)", "c=\(long)", "d=1", from: "http://h.net/")
        #expect(world.header(for: "http://h.net/") == "a=\(long); b=\(long)")
        let exact = CookieWorld()
        let one = String(repeating: "x", count: 4_090)
        let two = one + "xxxx"
        exact.store("a=\(one)", "b=\(two)", from: "http://h.net/")
        #expect(exact.header(for: "http://h.net/")?.utf8.count == 8_190)
        exact.store("a=\(one)x", from: "http://h.net/")
        #expect(exact.header(for: "http://h.net/")?.utf8.count == 4_093)
    }

    private mutating func fill(_ count: Int, _ host: (Int) -> String, _ attributes: String = "") {
        for index in 0..<count {
            world.now += 1
            world.store("c\(index)=1; \(attributes)", from: "https://\(host(index))/")
        }
    }

    @Test
    mutating func `a site has 180 cookies, all its hosts together; those unused for longest go`() {
        world.store("other=1", from: "https://other.co.uk/")
        fill(180) { "h\($0).example.co.uk" }
        world.now += 1
        #expect(world.header(for: "https://h0.example.co.uk/") == "c0=1")
        world.store("last=1", from: "https://x.example.co.uk/")
        #expect(world.storage.cookies.count == 181)
        #expect(world.header(for: "https://h0.example.co.uk/") == "c0=1")
        #expect(world.header(for: "https://h1.example.co.uk/") == nil)
        #expect(world.header(for: "https://h2.example.co.uk/") == "c2=1")
        #expect(world.header(for: "https://other.co.uk/") == "other=1")
    }

    @Test
    mutating func `cookies without Secure give way to those with it`() {
        world.store("keep=1; Secure", from: "https://h.net/")
        fill(400) { _ in "h.net" }
        #expect(world.storage.cookies.count == 180)
        #expect(world.header(for: "https://h.net/")?.hasPrefix("keep=1; c221=1; ") == true)
    }

    @Test
    mutating func `expired cookies give way first`() {
        world.store("old=1", from: "https://h.net/")
        fill(100, { _ in "h.net" }, "Path=/x; Max-Age=150")
        world.now += 150
        fill(100) { _ in "h.net" }
        #expect(world.header(for: "https://h.net/")?.hasPrefix("old=1; c0=1; ") == true)
        #expect(world.storage.cookies.count == 101)
    }

    @Test
    mutating func `there are 3,000 cookies in all; those unused for longest go`() {
        fill(3_000) { "h\($0 / 100).net" }
        #expect(world.storage.cookies.count == 3_000)
        world.now += 1
        _ = world.header(for: "https://h0.net/")
        world.store("last=1", from: "https://new.net/")
        #expect(world.storage.cookies.count == 3_000)
        #expect(world.header(for: "https://new.net/") == "last=1")
        #expect(world.header(for: "https://h0.net/")?.hasPrefix("c0=1; ") == true)
        #expect(world.header(for: "https://h1.net/")?.hasPrefix("c101=1; ") == true)
    }
}
