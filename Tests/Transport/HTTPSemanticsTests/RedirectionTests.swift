import TestSupport

@testable import HTTPSemantics

@Suite("The request after a redirect", .timeLimit(.minutes(5)))
struct RedirectionTests {
    private static let statuses = [301, 302, 303, 307, 308]
    private static let methods = ["GET", "HEAD", "POST", "PUT", "DELETE"]
    private static let bodyFields = [
        "Content-Type", "Content-Encoding", "Content-Length", "Transfer-Encoding",
    ]
    private static let originFields = ["Authorization", "Cookie", "Proxy-Authorization", "Origin"]
    private static let targets = [
        (url: "http://one.test:8080/b?c=d", isSameOrigin: true),
        (url: "http://ONE.test:8080/b", isSameOrigin: true),
        (url: "/b", isSameOrigin: true),
        (url: "http://two.test:8080/b", isSameOrigin: false),
        (url: "http://one.test/b", isSameOrigin: false),
        (url: "https://one.test:8080/b", isSameOrigin: false),
        (url: "//two.test/b", isSameOrigin: false),
        (url: "http://one.test.evil:8080/b", isSameOrigin: false),
    ]

    private static func request(_ method: String) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://one.test:8080/a")))
        request.httpMethod = method
        request.httpBody = Data("body".utf8)
        for name in bodyFields + originFields + ["X-Custom", "Accept"] {
            request.setValue("value", forHTTPHeaderField: name)
        }
        return request
    }

    /// RFC 9110 section 15.4.
    private static func expectedMethod(_ status: Int, _ method: String) -> String {
        switch (status, method) {
        case (301, "POST"), (302, "POST"): "GET"
        case (303, "HEAD"): "HEAD"
        case (303, _): "GET"
        default: method
        }
    }

    @Test func `method, body and fields follow the table for every case`() throws {
        for status in Self.statuses {
            for method in Self.methods {
                for target in Self.targets {
                    try check(status, method, target.url, isSameOrigin: target.isSameOrigin)
                }
            }
        }
    }

    private func check(
        _ status: Int, _ method: String, _ location: String, isSameOrigin: Bool
    ) throws {
        let note: Comment = "\(status) \(method) \(location)"
        let next = try #require(
            try Redirection.next(
                after: Self.request(method), status: status, location: location, count: 0), note)
        let expected = Self.expectedMethod(status, method)
        let keepsBody = expected == method
        #expect(next.httpMethod == expected, note)
        #expect(next.httpBody == (keepsBody ? Data("body".utf8) : nil), note)
        for name in Self.bodyFields {
            #expect((next.value(forHTTPHeaderField: name) != nil) == keepsBody, "\(note) \(name)")
        }
        for name in Self.originFields {
            #expect(
                (next.value(forHTTPHeaderField: name) != nil) == isSameOrigin, "\(note) \(name)")
        }
        #expect(next.value(forHTTPHeaderField: "X-Custom") == "value", note)
        #expect(next.value(forHTTPHeaderField: "Accept") == "value", note)
    }

    @Test func `a Host field of the caller's does not leave its origin`() throws {
        var request = try Self.request("GET")
        request.setValue("virtual.test", forHTTPHeaderField: "Host")
        let away = try Redirection.next(
            after: request, status: 302, location: "http://two.test/", count: 0)
        #expect(away?.value(forHTTPHeaderField: "Host") == nil)
    }

    @Test(arguments: [200, 204, 300, 304, 305, 306, 399, 401, 500])
    func `other statuses are no redirects`(status: Int) throws {
        let next = try Redirection.next(
            after: Self.request("GET"), status: status, location: "/b", count: 0)
        #expect(next == nil)
    }

    @Test func `a redirect without a location is the answer`() throws {
        let next = try Redirection.next(
            after: Self.request("GET"), status: 302, location: nil, count: 0)
        #expect(next == nil)
    }

    @Test func `twenty are followed and the next fails`() throws {
        let request = try Self.request("GET")
        for count in 0..<20 {
            #expect(
                try Redirection.next(after: request, status: 302, location: "/b", count: count)
                    != nil)
        }
        let error = #expect(throws: URLError.self) {
            try Redirection.next(after: request, status: 302, location: "/b", count: 20)
        }
        #expect(error?.code.rawValue == -1007)
    }

    @Test(arguments: [
        "ftp://one.test/", "file:///etc/passwd", "data:,x", "gopher://one.test/", "mailto:a@b.test",
    ])
    func `only http and https are followed`(location: String) throws {
        let request = try Self.request("GET")
        let error = #expect(throws: URLError.self) {
            try Redirection.next(after: request, status: 302, location: location, count: 0)
        }
        #expect(error?.code.rawValue == -1002)
    }

    @Test(arguments: ["/a\u{0}b", "/a\r\nX: y", "/a\u{7F}b", "http://[::1"])
    func `a location that is no URL fails`(location: String) throws {
        let request = try Self.request("GET")
        let error = #expect(throws: URLError.self) {
            try Redirection.next(after: request, status: 302, location: location, count: 0)
        }
        #expect(error?.code == .redirectToNonExistentLocation)
    }

    @Test(arguments: [
        ("d", "http://one.test:8080/a/b/d"), ("./d", "http://one.test:8080/a/b/d"),
        ("../d", "http://one.test:8080/a/d"), ("/d", "http://one.test:8080/d"),
        ("?q=2", "http://one.test:8080/a/b/c?q=2"), ("//two.test/d", "http://two.test/d"),
        ("http://two.test", "http://two.test"), ("d#own", "http://one.test:8080/a/b/d#own"),
        ("HTTP://two.test/d", "http://two.test/d"),
    ])
    func `a location is read relative to the request`(location: String, expected: String) throws {
        let url = try #require(URL(string: "http://one.test:8080/a/b/c?q=1"))
        let next = try Redirection.next(
            after: URLRequest(url: url), status: 302, location: location, count: 0)
        let text = try #require(next?.url?.absoluteString)
        #expect(text.replacing("HTTP:", with: "http:") == expected)
    }

    @Test(arguments: [
        ("/my file%2Fa.txt", "http://one.test:8080/my%20file%2Fa.txt"),
        ("?q[0]=a%20b", "http://one.test:8080/a?q%5B0%5D=a%20b"),
        ("//two.test/ü%20x#a b%20", "http://two.test/%C3%BC%20x#a%20b%20"),
        ("/100% %41", "http://one.test:8080/100%25%20%41"),
    ])
    func `escapes of a location stay as they are`(location: String, expected: String) throws {
        let next = try Redirection.next(
            after: Self.request("GET"), status: 302, location: location, count: 0)
        #expect(next?.url?.absoluteString == expected)
    }

    @Test func `a fragment is inherited unless the location has its own`() throws {
        let url = try #require(URL(string: "http://one.test/a#old"))
        let request = URLRequest(url: url)
        let inherited = try Redirection.next(
            after: request, status: 302, location: "/b", count: 0)
        #expect(inherited?.url?.absoluteString == "http://one.test/b#old")
        let own = try Redirection.next(
            after: request, status: 302, location: "/b#new", count: 0)
        #expect(own?.url?.absoluteString == "http://one.test/b#new")
    }

    @Test func `a redirect from https to http is refused unless it is asked for`() throws {
        var request = try Self.request("GET")
        request.url = URL(string: "https://one.test/a")
        let refusal = #expect(throws: URLError.self) {
            _ = try Redirection.next(
                after: request, status: 302, location: "http://two.test/b", count: 0)
        }
        #expect(refusal?.code == .appTransportSecurityRequiresSecureConnection)
        request.url = URL(string: "http://one.test/a")
        let up = try Redirection.next(
            after: request, status: 302, location: "https://one.test/b", count: 0)
        #expect(up?.url?.scheme == "https")
    }

    @Test func `one from https to http that is followed takes nothing of the origin along`()
        throws
    {
        var request = try Self.request("GET")
        request.url = URL(string: "https://one.test/a")
        request.setValue("virtual.test", forHTTPHeaderField: "Host")
        let next = try Redirection.next(
            after: request, status: 302, location: "http://one.test/b", count: 0,
            mayLeaveTLS: true)
        #expect(next?.url?.absoluteString == "http://one.test/b")
        for name in Self.originFields + ["Host"] {
            #expect(next?.value(forHTTPHeaderField: name) == nil, "\(name)")
        }
        #expect(next?.value(forHTTPHeaderField: "X-Custom") == "value")
    }
}
