import TestSupport

@testable import HTTPSemantics

@Suite("Which cookies are sent, RFC 6265 section 5.4", .timeLimit(.minutes(1)))
struct CookieSendingTests {
    private var world = CookieWorld()

    @Test(
        arguments: [
            ("http://h.net", "/"), ("http://h.net/", "/"), ("http://h.net/a", "/"),
            ("http://h.net/a/", "/a"), ("http://h.net/a/b", "/a"), ("http://h.net/a/b/", "/a/b"),
            ("http://h.net/a//b", "/a/"), ("http://h.net//b", "/"), ("http://h.net/a?x=/y/z", "/"),
            ("http://h.net/a%2Fb/c", "/a%2Fb"), ("http://h.net/ä/c", "/%C3%A4"),
            ("http://h.net/a/../b/c", "/b"), ("http://h.net/a/./c", "/a"),
        ])
    func `5.1.4: the default path is the request's up to its last slash`(
        _ url: String, _ path: String
    ) throws {
        world.store("a=1", from: url)
        #expect(world.storage.cookies.map(\.path) == [path])
        #expect(world.header(for: url) == "a=1")
    }

    @Test(
        arguments: [
            ("/", "", true), ("/", "/a/b", true), ("/foo", "/foo", true), ("/foo", "/foo/", true),
            ("/foo", "/foo/bar", true), ("/foo", "/foobar", false), ("/foo", "/", false),
            ("/foo", "/Foo", false), ("/foo/", "/foo", false), ("/foo/", "/foo/bar", true),
            ("/foo", "/foo?x", true), ("/foo", "/x/../foo", true), ("/foo", "/foo/../bar", false),
            ("/f%6Fo", "/foo", false), ("/ä", "/ä", false),
        ])
    func `5.1.4: a path matches itself and what lies below it`(
        _ cookiePath: String, _ path: String, _ isSent: Bool
    ) {
        world.store("a=1; Path=\(cookiePath)", from: "http://h.net/elsewhere")
        #expect((world.header(for: "http://h.net" + path) == "a=1") == isSent)
    }

    @Test
    mutating func
        `step 2: longer paths go first, then older cookies; replacing does not make younger`()
    {
        world.store("b=1; Path=/", "long=1; Path=/x/y", from: "http://h.net/")
        world.now += 1
        world.store("a=1; Path=/", "mid=1; Path=/x", from: "http://h.net/")
        world.now += 1
        world.store("b=2; Path=/", "dom=1; Path=/; Domain=h.net", from: "http://h.net/")
        #expect(world.header(for: "http://h.net/x/y") == "long=1; mid=1; b=2; a=1; dom=1")
    }

    @Test
    func `step 1: Secure goes over https only, to the machine itself too`() {
        for host in ["h.net", "localhost", "127.0.0.1"] {
            world.store("s=1; Secure", from: "https://\(host)/")
            #expect(world.header(for: "https://\(host):8443/") == "s=1")
            #expect(world.header(for: "http://\(host)/") == nil)
        }
    }

    @Test
    func `a Secure cookie is not set in cleartext, nor replaced, removed or hidden from there`() {
        world.store("new=1; Secure", from: "http://h.net/")
        #expect(world.storage.cookies.isEmpty)
        world.store("s=1; Secure; Path=/in; Domain=h.net", from: "https://www.h.net/")
        for attributes in [
            "Path=/in; Domain=h.net", "Path=/in", "Path=/in/deeper", "Path=/in; Max-Age=0",
            "Path=/in; Domain=h.net; Max-Age=0", "Secure; Path=/in; Domain=h.net",
        ] {
            world.store("s=evil; \(attributes)", from: "http://www.h.net/")
            world.store("s=evil; \(attributes)", from: "http://h.net/")
        }
        #expect(world.header(for: "https://www.h.net/in/deeper/x") == "s=1")
        world.store("s=2; Path=/", "t=1; Path=/in", from: "http://www.h.net/")
        #expect(world.header(for: "https://www.h.net/in") == "s=1; t=1; s=2")
        world.store("s=3; Path=/in; Domain=h.net", from: "https://h.net/")
        #expect(world.header(for: "http://h.net/in") == "s=3")
    }

    @Test
    mutating func `an expired Secure cookie blocks no other`() {
        world.store("s=1; Secure; Max-Age=5", from: "https://h.net/")
        world.now += 5
        world.store("s=2", from: "http://h.net/")
        #expect(world.header(for: "http://h.net/") == "s=2")
    }

    @Test(
        arguments: [
            ("__Secure-a=1; Secure", true), ("__Secure-a=1", false), ("__SECURE-a=1", false),
            ("__Host-a=1; Secure; Path=/", true), ("__Host-a=1; Path=/", false),
            ("__Host-a=1; Secure; Path=/x", false), ("__hOST-a=1; Secure; Path=/x", false),
            ("__Host-a=1; Secure; Path=/; Domain=h.net", false),
            ("__Host-\u{301}a=1; Path=/", false), ("__Host=1", true),
        ])
    func `6265bis 4.1.3: a prefix in any case is a promise that must hold`(
        _ field: String, _ isStored: Bool
    ) {
        world.store(field, from: "https://h.net/")
        #expect(world.storage.cookies.isEmpty != isStored)
        let clear = CookieWorld()
        clear.store(field, from: "http://h.net/")
        #expect(clear.storage.cookies.isEmpty != (field == "__Host=1"))
    }

    @Test
    mutating func
        `5.3 step 3: Max-Age goes before Expires; without both a cookie lasts the session`()
    {
        let (past, future) = ("01 Jan 1980 00:00:00", "01 Jan 2100 00:00:00")
        world.store(
            "a=1; Max-Age=10; Expires=\(past)", "b=1; Expires=\(future)", "c=1; Expires=\(past)",
            "d=1; Expires=\(future); Max-Age=0", "e=1", "f=1; Max-Age=99999999999999999999",
            "g=1; Expires=soon", "h=1; Max-Age=-1", from: "http://h.net/")
        #expect(world.header(for: "http://h.net/") == "a=1; b=1; e=1; f=1; g=1")
        world.now += 9.9
        #expect(world.header(for: "http://h.net/") == "a=1; b=1; e=1; f=1; g=1")
        world.now += 0.1
        #expect(world.header(for: "http://h.net/") == "b=1; e=1; f=1; g=1")
        world.now += 100 * 365 * 86_400
        #expect(world.header(for: "http://h.net/") == "e=1; f=1; g=1")
    }

    @Test
    func `5.3 step 11: name, domain and path say which cookie is replaced or removed`() {
        world.store("a=1", "a=2; Path=/x", "a=3; Domain=h.net", "A=4", from: "http://h.net/")
        #expect(world.header(for: "http://h.net/x") == "a=2; a=1; a=3; A=4")
        world.store("a=5", "a=x; Path=/x; Max-Age=0", from: "http://h.net/")
        #expect(world.header(for: "http://h.net/x") == "a=5; a=3; A=4")
        world.store("a=6; Domain=h.net", from: "http://evil.h.net/")
        #expect(world.header(for: "http://h.net/") == "a=5; a=6; A=4")
        #expect(world.header(for: "http://evil.h.net/") == "a=6")
    }

    @Test
    func `values are sent as they came`() {
        world.store(
            "a=\"q q\"", "b=x,y", "c==", "d=", "e=ü", "f=a\tb", "g=%41", from: "http://h.net/")
        #expect(
            world.header(for: "http://h.net/") == "a=\"q q\"; b=x,y; c==; d=; e=ü; f=a\tb; g=%41")
    }
}
