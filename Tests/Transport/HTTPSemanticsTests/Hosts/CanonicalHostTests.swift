import TestSupport

@testable import HTTPSemantics

@Suite("Hosts in one spelling", .timeLimit(.minutes(1)))
struct CanonicalHostTests {
    @Test(
        arguments: [
            ("WWW.Example.COM", "www.example.com"), ("bücher.example", "xn--bcher-kva.example"),
            ("BÜCHER.example", "xn--bcher-kva.example"), ("a_b.example", "a_b.example"),
            ("食狮。公司。cn", "xn--85x722f.xn--55qx5d.cn"), ("example.com.", "example.com."),
            ("127.0.0.1", "127.0.0.1"),
        ])
    func `RFC 6265 5.1.2: lower case and A-labels, whether the host is in a URL or in a field`(
        _ text: String, _ canonical: String
    ) throws {
        #expect(CanonicalHost(text)?.text == canonical)
        let url = try #require(URL(string: "http://\(text):8080/a?b"))
        #expect(CanonicalHost(of: url)?.text == canonical)
    }

    @Test
    func `escapes in a URL's host are read as the transport reads them; brackets go`() throws {
        let escaped = try #require(URL(string: "http://ex%41mple.com/"))
        let address = try #require(URL(string: "http://[FE80::1]/"))
        let slash = try #require(URL(string: "http://a%2Fb.com/"))
        #expect(CanonicalHost(of: escaped)?.text == "example.com")
        #expect(CanonicalHost(of: address)?.text == "fe80::1")
        #expect(CanonicalHost(of: address)?.isAddress == true)
        #expect(CanonicalHost(of: slash) == nil)
    }

    @Test(
        arguments: [
            "", ".", "..", ".a.com", "a..com", "a b", "a/b", "a@b", "a;b", "a\u{0}b", "a%2eb",
            "a\u{2024}b", "*.com", "[::1]", "::g/", String(repeating: "a", count: 64) + ".com",
        ])
    func `what no resolver would take is no host`(_ text: String) {
        #expect(CanonicalHost(text) == nil)
    }

    @Test(
        arguments: [
            ("example.com", "example.com", true), ("a.example.com", "example.com", true),
            ("a.b.example.com", "example.com", true), ("example.com", "a.example.com", false),
            ("badexample.com", "example.com", false), ("example.com", "example.com.", false),
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "0.0.1", false),
            ("127.0.0.1", "1", false), ("::1", "::1", true),
        ])
    func `RFC 6265 5.1.3: a host is within a domain that it is or that ends it after a dot`(
        _ host: String, _ domain: String, _ isWithin: Bool
    ) throws {
        let named = try #require(CanonicalHost(domain))
        #expect(try #require(CanonicalHost(host)).isWithin(named) == isWithin)
    }

    @Test(
        arguments: [
            ("a.b.example.co.uk", "example.co.uk"), ("a.github.io", "a.github.io"),
            ("localhost", "localhost"), ("127.0.0.1", "127.0.0.1"), ("::1", "::1"),
        ])
    func `a site is a registrable domain, or a host that has none`(_ host: String, _ site: String) {
        #expect(CanonicalHost(host)?.site == site)
    }
}
