import HTTPSemantics
import TestSupport

@Suite("User and password in a URL", .timeLimit(.minutes(1)))
struct URLUserInfoTests {
    @Test(arguments: [
        ("http://user:p%40ss@host/", "user", "p@ss", "http://host/"),
        ("https://user@host:8/a?b#c", "user", "", "https://host:8/a?b#c"),
        ("http://user:@host/", "user", "", "http://host/"),
        ("http://:pass@host/", "", "pass", "http://host/"),
        ("http://u:p:q@[::1]:8/x", "u", "p:q", "http://[::1]:8/x"),
        ("http://%C3%B6:%F0%9F%94%91@host/%2F", "ö", "🔑", "http://host/%2F"),
        ("http://u%FF:p@host/", "u%FF", "p", "http://host/"),
    ])
    func `they become a credential for this load, and the URL goes without`(
        text: String, user: String, password: String, rest: String
    ) throws {
        let url = try #require(URL(string: text))
        let credential = try #require(URLUserInfo.credential(in: url))
        #expect(credential.user == user)
        #expect(credential.password == password)
        #expect(credential.persistence == .none)
        #expect(URLUserInfo.removed(from: url)?.absoluteString == rest)
    }

    @Test(arguments: ["http://host/a@b:c?d@e", "http://@host/", "http://:@host/", "/a@b"])
    func `where there is nothing there is no credential`(text: String) throws {
        let url = try #require(URL(string: text))
        #expect(URLUserInfo.credential(in: url) == nil)
        let rest = try #require(URLUserInfo.removed(from: url))
        #expect(rest.user() == nil && rest.password() == nil)
        #expect(rest.path() == url.path())
    }

    @Test func `a relative URL keeps what it is relative to`() throws {
        let base = try #require(URL(string: "http://u:p@host/a/b"))
        let url = try #require(URL(string: "c?d", relativeTo: base))
        #expect(URLUserInfo.credential(in: url)?.user == "u")
        #expect(URLUserInfo.removed(from: url)?.absoluteString == "http://host/a/c?d")
    }
}
