import TestSupport

@testable import HTTPSemantics

@Suite("Reading a Set-Cookie field, RFC 6265 section 5.2", .timeLimit(.minutes(1)))
struct SetCookieFieldTests {
    @Test(
        arguments: [
            ("a=b", "a", "b"), (" a\t=\tb ", "a", "b"), ("a=", "a", ""), ("a=b=c", "a", "b=c"),
            ("a==", "a", "="), ("a=\"b c\"", "a", "\"b c\""), ("a=b,c", "a", "b,c"),
            ("a b=c d; Secure", "a b", "c d"), ("a=\"q;q\"", "a", "\"q"), ("ä=ü", "ä", "ü"),
            ("a=b\tc", "a", "b\tc"), ("a;\u{301}=b", "", ""), ("a=b;\u{301}; Secure", "a", "b"),
            ("$Version=1", "$Version", "1"), ("Expires=now", "Expires", "now"),
        ])
    func `steps 1 to 4: the name ends at the first =, the pair at the first ;, blanks go`(
        _ text: String, _ name: String, _ value: String
    ) throws {
        guard !name.isEmpty else {
            #expect(SetCookieField(text) == nil)
            return
        }
        let field = try #require(SetCookieField(text))
        #expect(field.name == name)
        #expect(field.value == value)
        #expect(field.path == nil && field.domain == nil)
    }

    @Test(
        arguments: ["", ";", "a", "a; b=c", "=b", " = b", "; a=b", "=", "\t=\t"])
    func `steps 2 and 5: without = or without a name the field is ignored`(_ text: String) {
        #expect(SetCookieField(text) == nil)
    }

    @Test(
        arguments: Array(UInt8(0)...31) + [127])
    func `control bytes anywhere make the field ignored; a tab does not`(_ byte: UInt8) {
        let control = String(Unicode.Scalar(byte))
        let isTab = byte == 9
        #expect((SetCookieField("a=b\(control)c") != nil) == isTab)
        #expect((SetCookieField("a\(control)b=c") != nil) == isTab)
        #expect((SetCookieField("a=b; Path=/\(control)c") != nil) == isTab)
        #expect((SetCookieField("a=b; Unknown\(control)") != nil) == isTab)
    }

    @Test
    func `a name and a value may have 4,096 bytes together, an attribute 1,024`() throws {
        let most = String(repeating: "x", count: 4095)
        let more = most + "x"
        #expect(SetCookieField("a=" + most) != nil)
        #expect(SetCookieField("a=" + more) == nil)
        #expect(SetCookieField(more + "=a") == nil)
        #expect(SetCookieField("a=" + String(repeating: "ü", count: 2048)) == nil)
        let path = "/" + String(repeating: "p", count: 1023)
        #expect(SetCookieField("a=b; Path=\(path)")?.path == path)
        #expect(try #require(SetCookieField("a=b; Path=\(path)p")).path == nil)
        #expect(SetCookieField("a=b; Path=/x; Path=\(path)p")?.path == "/x")
    }

    @Test
    func `5.2.1: Expires that is no date is skipped, an earlier one stays`() throws {
        let date = Date(timeIntervalSince1970: 4_116_219_494)
        let text = "Wed, 09 Jun 2100 10:18:14 GMT"
        #expect(SetCookieField("a=b; EXPIRES = \(text)")?.expires == date)
        #expect(SetCookieField("a=b; Expires=\(text); Expires=never")?.expires == date)
        #expect(try #require(SetCookieField("a=b; Expires=never")).expires == nil)
        #expect(try #require(SetCookieField("a=b; Expires")).expires == nil)
    }

    @Test(
        arguments: [
            ("10", 10), ("0", 0), ("-1", -1), ("007", 7), ("99999999999999999999", Int.max),
            ("-99999999999999999999", Int.min), ("", nil), ("-", nil), ("+1", nil), ("1.5", nil),
            ("1e3", nil), ("0x10", nil), ("ten", nil), ("1 0", nil), ("--1", nil), ("١", nil),
        ] as [(String, Int?)])
    func `5.2.2: Max-Age is digits, perhaps after a minus; anything else is skipped`(
        _ text: String, _ seconds: Int?
    ) throws {
        let field = try #require(SetCookieField("a=b; Max-Age=\(text)"))
        #expect(field.maxAge == seconds)
    }

    @Test(
        arguments: [
            ("Domain=example.com", "example.com"), ("domain=.example.com", "example.com"),
            ("Domain=..example.com", ".example.com"), ("Domain", nil), ("Domain=", nil),
            ("Domain=a.com; Domain=b.com", "b.com"), ("Domain=a.com; Domain=", "a.com"),
        ] as [(String, String?)])
    func `5.2.3: one dot before a domain goes, an empty one is skipped, the last counts`(
        _ attributes: String, _ domain: String?
    ) throws {
        #expect(try #require(SetCookieField("a=b; \(attributes)")).domain == domain)
    }

    @Test(
        arguments: [
            ("Path=/a", "/a"), ("PATH=/a", "/a"), ("Path=a", nil), ("Path=", nil), ("Path", nil),
            ("Path=/a; Path=/b", "/b"), ("Path=/a; Path=b", nil), ("Path=\"/a\"", nil),
        ] as [(String, String?)])
    func `5.2.4: a path that does not begin with a slash means the default, the last counts`(
        _ attributes: String, _ path: String?
    ) throws {
        #expect(try #require(SetCookieField("a=b; \(attributes)")).path == path)
    }

    @Test
    func `5.2.5 and 5.2.6: Secure and HttpOnly count by being there`() throws {
        let field = try #require(SetCookieField("a=b; secure=false;HTTPONLY"))
        #expect(field.isSecure && field.isHTTPOnly)
        let plain = try #require(SetCookieField("a=b; Secured; Http-Only; SameSite=Strict"))
        #expect(!plain.isSecure && !plain.isHTTPOnly)
    }
}
