import TestSupport

@testable import HTTPSemantics

@Suite("Whose cookies are stored, RFC 6265 section 5.3", .timeLimit(.minutes(1)))
struct CookieDomainTests {
    private let world = CookieWorld()

    @Test
    func `step 6: without a domain a cookie is for its host only`() {
        world.store("a=1", from: "http://example.com/")
        #expect(world.header(for: "http://EXAMPLE.com/") == "a=1")
        #expect(world.header(for: "http://www.example.com/") == nil)
        #expect(world.header(for: "http://com/") == nil)
        #expect(world.header(for: "http://example.com./") == nil)
    }

    @Test
    func `step 6: with a domain it goes to every host in it, other schemes and ports too`() {
        world.store("a=1; Domain=Example.COM", from: "http://www.example.com:8080/")
        for host in ["http://example.com/", "https://b.c.example.com:1/"] {
            #expect(world.header(for: host) == "a=1")
        }
        #expect(world.header(for: "http://badexample.com/") == nil)
        #expect(world.header(for: "http://example.com.evil.net/") == nil)
        #expect(world.header(for: "ftp://example.com/") == nil)
    }

    @Test(
        arguments: [
            "b.example.com", "a.www.example.com", "example.org", "ample.com", "evil.test",
            "www.example.com:80", "http://example.com", "example.com/", "..example.com",
            "example..com", "*.example.com", "example.com.", "exa mple.com", "@example.com",
        ])
    func `step 6: a domain the host does not lie in is refused`(_ domain: String) {
        world.store("a=1; Domain=\(domain)", from: "http://www.example.com/")
        #expect(world.storage.cookies.isEmpty)
    }

    @Test(
        arguments: [
            ("www.example.co.uk", ".CO.UK"), ("www.example.co.uk", "uk"),
            ("a.github.io", "github.io"), ("x.kobe.jp", "kobe.jp"), ("a.localhost", "localhost"),
            ("a.test", "Test"), ("食狮.公司.cn", "公司.cn"), ("食狮.公司.cn", "xn--55qx5d.CN"),
        ])
    func `step 5: a public suffix is refused, unless it is the host itself, which then is alone`(
        _ host: String, _ suffix: String
    ) {
        world.store("a=1; Domain=\(suffix)", from: "http://\(host)/")
        #expect(world.storage.cookies.isEmpty)
        let bare = suffix.hasPrefix(".") ? String(suffix.dropFirst()) : suffix
        world.store("a=1; Domain=\(suffix)", from: "http://\(bare)/")
        #expect(world.header(for: "http://\(bare)/") == "a=1")
        #expect(world.header(for: "http://\(host)/") == nil)
    }

    @Test
    func `a domain may be written with U-labels or A-labels`() {
        world.store("a=1; Domain=bücher.de", from: "http://www.xn--bcher-kva.de/")
        world.store("b=1; Domain=XN--BCHER-KVA.de", from: "http://www.bücher.de/")
        #expect(world.header(for: "http://BÜCHER.de/") == "a=1; b=1")
    }

    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "0.0.1", false),
            ("127.0.0.1", ".1", false), ("127.0.0.1", "127.0.0.2", false),
            ("[::1]", "::1", true), ("[::1]", "[::1]", false), ("127.1", "1", false),
        ])
    func `5.1.3: an address shares no cookie with other hosts`(
        _ host: String, _ domain: String, _ isStored: Bool
    ) {
        world.store("a=1; Domain=\(domain)", from: "http://\(host)/")
        #expect((world.header(for: "http://\(host)/") == "a=1") == isStored)
        #expect(world.storage.cookies.count == (isStored ? 1 : 0))
        #expect(world.header(for: "http://a.\(domain)/") == nil)
    }

    /// The lines are those of the fault server's paths of these names.
    @Test(
        arguments: ["http://www.example.co.uk/", "http://a.github.io/", "http://127.0.0.1/"])
    func `R58: what a server sets for other sites never arrives there`(_ server: String) {
        let host = CookieWorld.url(server).host ?? ""
        let parent = host.split(separator: ".").dropFirst().joined(separator: ".")
        world.store(
            "f1=1; Domain=evil.test; Path=/", "f2=1; Domain=example.com; Path=/",
            "t1=1; Domain=com; Path=/", "t2=1; Domain=co.uk; Path=/",
            "t3=1; Domain=github.io; Path=/", "t4=1; Domain=localhost; Path=/",
            "t5=1; Domain=test; Path=/", "t6=1; Domain=.CO.UK; Path=/",
            "p=1; Path=/; Domain=" + parent, "i=1; Domain=0.0.1; Path=/",
            "j=1; Domain=127.0.0.2; Path=/", "k=1; Domain=.1; Path=/",
            from: server)
        for other in [
            "other.co.uk", "co.uk", "b.github.io", "github.io", "evil.test", "example.com",
            "localhost", "test", "127.0.0.2", "0.0.1", "com",
        ] {
            #expect(world.header(for: "http://\(other)/") == nil, "\(other)")
        }
        let own = host == "www.example.co.uk" ? "p=1" : nil
        #expect(world.header(for: server) == own)
    }

    @Test
    func `a URL that is neither http nor https, or has no host, stores nothing and gets nothing`() {
        for url in ["ftp://example.com/", "file:///x", "data:,x", "http:/x", "about:blank"] {
            world.store("a=1", from: url)
            #expect(world.header(for: url) == nil)
        }
        #expect(world.storage.cookies.isEmpty)
    }

    @Test
    func `the accept policy decides what is stored, not what is sent`() {
        let storage = world.storage
        func store(_ name: String, _ mainDocument: String?) {
            storage.store(
                setCookieFields: ["\(name)=1"], from: CookieWorld.url("http://a.example.co.uk/"),
                mainDocument: mainDocument.map(CookieWorld.url), at: world.now)
        }
        #expect(storage.cookieAcceptPolicy == .always)
        store("always", "http://other.co.uk/")
        storage.cookieAcceptPolicy = .onlyFromMainDocumentDomain
        store("same", "https://www.example.co.uk/page")
        store("unsaid", nil)
        store("other", "http://other.co.uk/")
        store("file", "file:///page")
        storage.cookieAcceptPolicy = .never
        store("never", "http://a.example.co.uk/")
        #expect(world.header(for: "http://a.example.co.uk/") == "always=1; same=1; unsaid=1")
    }
}
