import TestSupport

@testable import OperationNetworking

/// RQ-3 to RQ-9.
@Suite("Requests from the HTTP serializer", .timeLimit(.minutes(5)))
struct RequestSerializerTests {
    private let serializer = HTTPRequestSerializer()

    private func url(
        _ urlString: String, _ parameters: Any? = ["a": 1], method: String = "GET"
    ) throws -> String? {
        try serializer.request(method: method, urlString: urlString, parameters: parameters)
            .url?.absoluteString
    }

    // MARK: Properties

    @Test
    func `a property reaches requests once it is set, even to its default`() throws {
        func request() throws -> URLRequest {
            try serializer.request(method: "GET", urlString: "http://h/", parameters: nil)
        }
        let untouched = try request()
        #expect(untouched.timeoutInterval == 60 && untouched.httpShouldHandleCookies)
        #expect(untouched.allowsCellularAccess && untouched.cachePolicy == .useProtocolCachePolicy)
        #expect(serializer.timeoutInterval == 0 && !serializer.httpShouldHandleCookies)
        #expect(!serializer.allowsCellularAccess && !serializer.httpShouldUsePipelining)

        serializer.timeoutInterval = 0
        serializer.httpShouldHandleCookies = false
        serializer.allowsCellularAccess = false
        serializer.httpShouldUsePipelining = true
        serializer.cachePolicy = .returnCacheDataDontLoad
        serializer.networkServiceType = .background
        let set = try request()
        #expect(set.timeoutInterval == 0 && !set.httpShouldHandleCookies)
        #expect(!set.allowsCellularAccess && set.cachePolicy == .returnCacheDataDontLoad)
        #expect(set.networkServiceType == .background)
        #expect((set as any PipeliningSeen).httpShouldUsePipelining)

        let own = URLRequest(url: try #require(URL(string: "http://h/")))
        let serialized = try serializer.request(bySerializing: own, with: nil)
        #expect(serialized.timeoutInterval == 60 && serialized.httpShouldHandleCookies)
    }

    // MARK: Headers

    @Test
    func `a header is set, replaced without regard to case, taken away, and never overwrites`()
        throws
    {
        serializer.setValue("1", forHTTPHeaderField: "X-A")
        serializer.setValue("2", forHTTPHeaderField: "x-a")
        #expect(serializer.httpRequestHeaders["X-A"] == "2")
        #expect(serializer.value(forHTTPHeaderField: "X-a") == "2")
        var own = URLRequest(url: try #require(URL(string: "http://h/")))
        own.setValue("mine", forHTTPHeaderField: "x-A")
        let request = try serializer.request(bySerializing: own, with: nil)
        #expect(request.value(forHTTPHeaderField: "X-A") == "mine")
        serializer.setValue(nil, forHTTPHeaderField: "x-A")
        #expect(serializer.value(forHTTPHeaderField: "X-A") == nil)
        #expect(serializer.httpRequestHeaders.keys.sorted() == ["Accept-Language", "User-Agent"])
    }

    @Test
    func `Basic credentials are base64 of UTF-8, and go again`() {
        serializer.setAuthorizationHeaderField(username: "üser", password: "pä:ss")
        #expect(
            serializer.value(forHTTPHeaderField: "Authorization") == "Basic w7xzZXI6cMOkOnNz")
        serializer.clearAuthorizationHeader()
        #expect(serializer.value(forHTTPHeaderField: "authorization") == nil)
    }

    @Test
    func `Accept-Language weighs six languages`() {
        #expect(DefaultHeaders.acceptLanguage(["de"]) == "de;q=1")
        #expect(
            DefaultHeaders.acceptLanguage(["a", "b", "c", "d", "e", "f", "g"])
                == "a;q=1, b;q=0.9, c;q=0.8, d;q=0.7, e;q=0.6, f;q=0.5")
        #expect(serializer.value(forHTTPHeaderField: "Accept-Language")?.contains(";q=1") == true)
    }

    @Test(
        arguments: [
            ("app", "1.2", "Debian 12 (bookworm)", "app/1.2 (Debian 12 (bookworm))"),
            ("app", nil, "Linux", "app (Linux)"), ("my app", "1 b", "x)", "my-app/1-b (x)"),
            ("Größe", "2", "a\r\nb", "Grosse/2 (ab)"), ("", nil, "", "unknown ()"),
            ("приложение", "1", "s", "prilozenie/1 (s)"),
        ])
    func `User-Agent is ASCII: a token, a version, and a comment in balanced parentheses`(
        program: String, version: String?, system: String, expected: String
    ) {
        #expect(
            DefaultHeaders.userAgent(program: program, version: version, system: system)
                == expected)
    }

    @Test
    func `the default User-Agent names this program and this system`() throws {
        let agent = try #require(serializer.value(forHTTPHeaderField: "User-Agent"))
        #expect(agent.hasSuffix("(\(ProcessInfo.processInfo.operatingSystemVersionString))"))
        #expect(agent.hasPrefix(String(ProcessInfo.processInfo.processName.prefix(3))))
    }

    // MARK: URLs

    @Test
    func `the query goes behind the one there is, and before the fragment`() throws {
        #expect(try url("http://h/p#f") == "http://h/p?a=1#f")
        #expect(try url("http://h/p?x=1#f?g") == "http://h/p?x=1&a=1#f?g")
        #expect(try url("http://h/p#f", nil) == "http://h/p#f")
        #expect(try url("http://h/p?", [:]) == "http://h/p?&")
        #expect(try url("http://h", [:]) == "http://h?")
        #expect(try url("http://h#f", [String: Int]()) == "http://h?#f")
        #expect(try url("https://[::1]:8443/p?x=[1]") == "https://[::1]:8443/p?x=%5B1%5D&a=1")
    }

    @Test(
        arguments: [
            "", " ", "http://[", "%zz", "http://h/%zz", "http://h/\0", "a b", "http://h/é",
            "http://exa mple.com/", "http://h/a|b", String(repeating: " ", count: 1 << 20),
        ])
    func `text that is no URL is an error, for each way to make a request`(text: String) {
        for method in ["GET", "POST"] {
            let error = #expect(throws: RequestSerializationError.self) {
                try url(text, method: method)
            }
            #expect(error?.reason == .badURL)
            #expect((error as NSError?)?.code == NSURLErrorBadURL)
        }
    }

    @Test
    func `a URL of a megabyte is one`() throws {
        let text = "http://h/" + String(repeating: "a", count: 1 << 20)
        #expect(try url(text) == text + "?a=1")
    }

    // MARK: Fields

    @Test
    func `a default field that cannot be sent is the request's error, and names the field`() throws
    {
        for (name, value) in [
            ("X-A", "a\rb"), ("X-A", "a\nb"), ("X-A", "a\r\nX-B: b"), ("X-A", "a\0b"),
            ("X A", "v"), ("X-A\r\nX-B", "v"), ("", "v"), ("Ä", "v"),
        ] {
            serializer.setValue(value, forHTTPHeaderField: name)
            for method in ["GET", "POST"] {
                let error = #expect(throws: RequestSerializationError.self) {
                    try url("http://h/p", method: method)
                }
                #expect(error?.reason == .unsupportedValue)
                #expect(error?.explanation.contains(name.debugDescription) == true)
            }
            serializer.setValue(nil, forHTTPHeaderField: name)
            #expect(try url("http://h/p") == "http://h/p?a=1")
        }
    }

    // MARK: Bodies

    @Test
    func `other methods carry a form, with its type even when there is nothing in it`() throws {
        for parameters in [nil, [:]] as [[String: Any]?] {
            for method in ["POST", "PUT", "PATCH", "REPORT"] {
                let request = try serializer.request(
                    method: method, urlString: "http://h/p", parameters: parameters)
                #expect(request.httpBody == Data())
                #expect(
                    request.value(forHTTPHeaderField: "Content-Type")
                        == "application/x-www-form-urlencoded")
            }
        }
    }

    @Test
    func `a form has the bytes of the encoding`() throws {
        serializer.stringEncoding = .shiftJIS
        let request = try serializer.request(
            method: "POST", urlString: "http://h/p", parameters: ["k": "あ"])
        #expect(request.httpBody == Data("k=%82%A0".utf8))
        #expect(try url("http://h/p", ["k": "あ"]) == "http://h/p?k=%82%A0")
        #expect(throws: RequestSerializationError.self) { try url("http://h/p", ["k": "é"]) }
    }

    // MARK: The query block

    @Test
    func `a query block's text is used as it is; it sees the request without the defaults`() throws
    {
        serializer.setQueryStringSerialization { request, parameters in
            let field = request.value(forHTTPHeaderField: "User-Agent") ?? "none"
            return "\(request.httpMethod ?? "")=\(field)&\(parameters)"
        }
        #expect(try url("http://h/p", 5) == "http://h/p?GET=none&5")
        let form = try serializer.request(
            method: "POST", urlString: "http://h/p", parameters: "ä b")
        #expect(form.httpBody == Data("POST=none&ä b".utf8))
        #expect(try url("http://h/p", nil) == "http://h/p")
        serializer.setQueryStringSerialization(nil)
        #expect(try url("http://h/p", ["k": 5]) == "http://h/p?k=5")
    }

    @Test
    func `an error of the block, and a text that spoils the URL, are the request's error`() {
        struct Refusal: Error {}
        for method in ["GET", "HEAD", "DELETE", "POST", "PUT", "PATCH"] {
            serializer.setQueryStringSerialization { _, _ in throw Refusal() }
            #expect(throws: Refusal.self) { try url("http://h/p", method: method) }
        }
        serializer.setQueryStringSerialization { _, _ in "a b" }
        let error = #expect(throws: RequestSerializationError.self) { try url("http://h/p") }
        #expect(error?.reason == .badURL)
    }

    @Test
    func `an error shows its domain, its number and its reason`() {
        let inner = URLError(.badURL)
        let error = RequestSerializationError(.encodingFailed, "because", underlying: inner)
        let seen = error as NSError
        #expect(seen.domain == NetworkingError.requestSerializationDomain && seen.code == 4)
        #expect(seen.localizedFailureReason == "because")
        #expect((seen.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == NSURLErrorBadURL)
        #expect(error.localizedDescription.contains("because"))
    }
}

/// The deprecated property, for looking at it.
private protocol PipeliningSeen {
    var httpShouldUsePipelining: Bool { get }
}

extension URLRequest: PipeliningSeen {}
