import CurlConnection
import TestSupport

/// Needs running proxies: their ports as the variables below, as the kit's `env` prints them.
@Suite("The same 100 requests through real proxies", .serialized, .timeLimit(.minutes(5)))
struct RealProxyTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let need: Comment = "Needs a running proxy, such as SQUID_OPEN=port."

    struct Row: Sendable, CustomTestStringConvertible {
        var variable: String
        var kind: Proxy.Kind
        var user: String?
        var password: String?
        var testDescription: String { "\(variable) \(kind.rawValue)" }

        init(_ variable: String, _ kind: Proxy.Kind = .http, login: Bool = false) {
            self.variable = variable
            self.kind = kind
            user = login ? "user" : nil
            password = login ? "pass" : nil
        }

        func proxy(_ password: String?) throws -> Proxy? {
            guard let port = environment[variable].flatMap({ Int($0) }) else { return nil }
            return try Proxy(
                kind, host: "127.0.0.1", port: port, user: user, password: password)
        }
    }

    static let rows = [
        Row("SQUID_OPEN"), Row("SQUID_AUTH", login: true), Row("TINYPROXY_OPEN"),
        Row("TINYPROXY_AUTH", login: true), Row("MITM_OPEN"), Row("MITM_AUTH", login: true),
        Row("SOCKS_DANTE", .socks4), Row("SOCKS_DANTE", .socks5),
        Row("SOCKS_DANTE", .socks5h),
        Row("SOCKS_MICRO_AUTH", .socks5, login: true),
        Row("SOCKS_MICRO_AUTH", .socks5h, login: true), Row("SOCKS_PPROXY"),
        Row("SOCKS_PPROXY", .socks4),
        Row("SOCKS_PPROXY", .socks5), Row("SOCKS_PPROXY", .socks5h),
    ]
    private static let available = rows.filter { environment[$0.variable] != nil }

    @Test(.enabled(if: !available.isEmpty, need), arguments: rows)
    func `100 good requests give the same bytes as without it`(row: Row) throws {
        guard let proxy = try row.proxy(row.password) else { return }
        let server = Self.server()
        try server.start()
        defer { server.stop() }
        for (index, request) in Self.requests(server).enumerated() {
            let straight = try Load.run(request, via: .direct)
            var passed = try Load.run(request, via: .fixed(proxy))
            if passed.error?.code == .networkConnectionLost,
                request.httpMethod == "POST" || request.httpMethod == "PATCH"
            {
                // Some close after each answer without saying so; we ask again, the library does
                // not.
                passed = try Load.run(request, via: .fixed(proxy))
            }
            #expect(straight.status != nil)
            #expect(passed.status == straight.status, "request \(index): \(passed.error as Any)")
            #expect(passed.body == straight.body, "request \(index)")
        }
        let seen = server.requests.flatMap { $0.headers.all }.map { $0.name.lowercased() }
        #expect(!seen.contains("proxy-authorization"))
    }

    @Test(
        .enabled(if: !available.isEmpty && environment["NGINX_TLS"] != nil, need), arguments: rows)
    func `https gives the same bytes, with the server judged inside the tunnel`(row: Row) throws {
        guard let proxy = try row.proxy(row.password) else { return }
        let folder = URL(fileURLWithPath: try #require(Self.environment["CERT_DIR"]))
        let authority = try Certificate(
            pem: Data(contentsOf: folder.appendingPathComponent("ca.pem")))
        var anchors = [authority]
        if row.variable.hasPrefix("MITM"), let file = Self.environment["MITM_CA"] {
            anchors.append(try Certificate(pem: Data(contentsOf: URL(fileURLWithPath: file))))
        }
        let port = try #require(Self.environment["NGINX_TLS"])
        for path in ["/files/1m.bin", "/files/ok.json", "/files/empty", "/files/hello.txt"] {
            let request = URLRequest(
                url: try #require(URL(string: "https://localhost:\(port)\(path)")))
            let straight = try Load.run(request, via: .direct, anchors: [authority])
            let passed = try Load.run(request, via: .fixed(proxy), anchors: anchors)
            #expect(straight.status == 200, "\(straight.error as Any)")
            #expect(passed.status == 200, "\(path): \(passed.error as Any)")
            #expect(passed.body == straight.body, "\(path)")
        }
        // Given a server, or an interceptor, that nothing here vouches for
        let request = URLRequest(url: try #require(URL(string: "https://localhost:\(port)/")))
        let refused = try Load.run(request, via: .fixed(proxy), anchors: [])
        #expect(refused.error?.code == .serverCertificateHasUnknownRoot)
    }

    @Test(.enabled(if: !available.isEmpty, need), arguments: rows.filter { $0.user != nil })
    func `a wrong login is refused in words`(row: Row) throws {
        guard let proxy = try row.proxy("wrong") else { return }
        let server = Self.server()
        try server.start()
        defer { server.stop() }
        let ending = try Load.run(URLRequest(url: server.url("/ok")), via: .fixed(proxy))
        if proxy.kind.isHTTP {
            // tinyproxy says 401 of a login that is wrong, 407 of one that is missing.
            #expect([401, 407].contains(ending.status))
        } else {
            #expect(ending.error?.code == .userAuthenticationRequired)
        }
        let secure = try #require(URL(string: "https://localhost:\(server.port)/"))
        let tunnel = try Load.run(URLRequest(url: secure), via: .fixed(proxy))
        #expect(tunnel.error?.code == .userAuthenticationRequired)
        #expect(server.requests.isEmpty)
    }

    // MARK: The requests

    private static func server() -> LoopbackServer {
        let server = LoopbackServer()
        server.add("/sized/", isPrefix: true) { request in
            .data(bytes(Int(request.path.dropFirst(7)) ?? 0))
        }
        return server
    }

    private static func bytes(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 >> 8) })
    }

    private static func requests(_ server: LoopbackServer) -> [URLRequest] {
        let sizes = [0, 1, 2, 255, 256, 1_023, 1_460, 4_096, 16_383, 16_384, 65_537, 300_000]
        var requests: [URLRequest] = []
        func add(_ method: String, _ path: String, _ body: Data? = nil) {
            var request = URLRequest(url: server.url(path), timeoutInterval: 20)
            request.httpMethod = method
            request.httpBody = body
            requests.append(request)
        }
        for size in sizes + [1_048_576] { add("GET", "/sized/\(size)") }
        for size in sizes { add("HEAD", "/sized/\(size)") }
        for method in ["POST", "PUT", "PATCH"] {
            for size in sizes { add(method, "/upload", bytes(size)) }
        }
        for status in [200, 201, 202, 203, 400, 403, 404, 409, 410, 418, 422, 429, 500, 503] {
            add("GET", "/status/\(status)")
        }
        for count in 0..<10 { add("GET", "/chunked?n=\(count)&size=\(1 + count * 700)") }
        for path in [
            "/ok", "/json", "/gzip", "/deflate", "/204", "/etag", "/no-length", "/trickle",
            "/redirect-chain?n=3", "/redirect?to=/ok", "/text?value=gr%C3%BC%C3%9Fe&charset=utf-8",
            "/ok?a=1&b=%26%2F&c", "/ok?%F0%9F%8C%8A",
        ] {
            add("GET", path)
        }
        add("DELETE", "/ok")
        add("POST", "/ok", bytes(10))
        return requests
    }

    @Test func `there are 100 of them`() {
        #expect(Self.requests(LoopbackServer()).count == 100)
    }
}

/// One load on this thread.
///
/// ## Concurrency
/// Call from: one thread. Lock: none.
private final class Load: URLConnectionDelegate {
    private(set) var status: Int?
    private(set) var body = Data()
    private(set) var error: URLError?
    private var isOver = false

    static func run(
        _ request: URLRequest, via setting: ProxySetting, anchors: [Certificate]? = nil
    ) throws -> Load {
        let load = Load()
        let connection = URLConnection(request: request, delegate: load, startImmediately: false)
        connection.configuration.proxy = setting
        connection.trustRequirements.anchors = anchors
        connection.start()
        while !load.isOver {
            try #require(
                RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 30)))
        }
        return load
    }

    func connection(
        _ connection: URLConnection, willSendRequestFor challenge: URLAuthenticationChallenge
    ) {
        challenge.sender?.performDefaultHandling(for: challenge)
    }

    func connection(_ connection: URLConnection, didReceive response: URLResponse) {
        status = (response as? HTTPURLResponse)?.statusCode
    }

    func connection(_ connection: URLConnection, didReceive data: Data) {
        body.append(data)
    }

    func connectionDidFinishLoading(_ connection: URLConnection) {
        isOver = true
    }

    func connection(_ connection: URLConnection, didFailWithError error: any Error) {
        self.error = error as? URLError
        isOver = true
    }
}
