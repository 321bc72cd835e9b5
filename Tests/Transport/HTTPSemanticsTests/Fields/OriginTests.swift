import TestSupport

@testable import HTTPSemantics

@Suite("Origins", .timeLimit(.minutes(1)))
struct OriginTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test(
        arguments: [
            "https://example.org", "HTTPS://Example.ORG/", "https://example.org:443/a?b#c",
            "https://user:secret@example.org/a",
        ])
    func
        `one origin: the case of scheme and host, the scheme's own port, path, query and user do not matter`(
            _ text: String
        ) throws
    {
        #expect(Origin.isSame(try url(text), try url("https://example.org/other")))
    }

    @Test(
        arguments: [
            "http://example.org", "https://example.org:8443", "https://www.example.org",
            "https://example.org.", "https://xexample.org", "http://example.org:443",
        ])
    func `another scheme, host or port is another origin`(_ text: String) throws {
        #expect(!Origin.isSame(try url(text), try url("https://example.org/")))
    }

    @Test
    func `what has no origin is the same as nothing, not even as itself`() throws {
        for text in ["file:///etc/hosts", "ftp://example.org/", "relative/path", "https:///a"] {
            let url = try url(text)
            #expect(Origin(url) == nil, "\(text)")
            #expect(!Origin.isSame(url, url), "\(text)")
        }
        #expect(!Origin.isSame(nil, nil))
    }

    @Test
    func `a relative URL has the origin of its base; an address in brackets is a host`() throws {
        let base = try url("http://[2001:DB8::1]:8080/a/")
        let relative = try #require(URL(string: "b", relativeTo: base))
        #expect(Origin.isSame(relative, base))
        #expect(Origin(base)?.port == 8080)
    }
}
