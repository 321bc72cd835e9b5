import CurlConnection
import OperationNetworking
import TestSupport

/// Acceptance cases of what is on the wire, under their ids.
@Suite(
    "Cases R03 to R17: transport and framing", .timeLimit(.minutes(2)),
    .enabled(if: FaultPeer.isAvailable, FaultPeer.need))
struct TransportCaseTests {
    private let client = PeerClient()

    private func get(_ path: String, _ listener: String = "HTTP") async throws -> Ending {
        await client.get(try FaultPeer.shared.get().url(path, listener))
    }

    @Test(
        arguments: [
            "/truncated-json", "/truncated-chunked", "/truncated", "/truncated-chunk-data",
            "/close-in-headers", "/cl-max", "/chunk-huge", "/truncated-gzip",
        ])
    func `R03: what is cut off is no success`(path: String) async throws {
        let ending = await PeerClient(JSONResponseSerializer()).get(
            try FaultPeer.shared.get().url(path))
        #expect(!ending.isSuccess)
        #expect(
            ending.urlCode
                == (path == "/truncated-gzip"
                    ? .cannotDecodeContentData
                    : .networkConnectionLost))
    }

    @Test
    func `R04: a lost connection and a refused one are two errors`() async throws {
        for path in ["/rst-in-body", "/rst", "/close", "/rst-in-headers", "/close-in-status"] {
            #expect(try await get(path).urlCode == .networkConnectionLost, "\(path)")
        }
        #expect(try await get("/", "RST").urlCode == .networkConnectionLost)
        #expect(try await get("/", "CLOSED").urlCode == .cannotConnectToHost)
    }

    @Test(
        arguments: [
            ("/rst-after-body", "hello"), ("/eof-body", String(repeating: "x", count: 1_000)),
            ("/half-close", String(repeating: "x", count: 1_000)), ("/version-10", "old"),
            ("/chunk-ext", "hello"), ("/chunk-lf", "hello"), ("/lf-only", "ok"),
            ("/obs-fold", "ok"),
        ])
    func `R05: an answer that is whole counts, however the connection ends`(
        path: String, text: String
    ) async throws {
        let ending = try await get(path)
        #expect(ending.isSuccess)
        #expect(ending.text == text)
    }

    @Test(
        arguments: [
            "/second-close", "/second-rst",
        ])
    func `R08: a GET is repeated on a new connection, a POST goes out once`(path: String)
        async throws
    {
        let peer = try FaultPeer()
        defer { peer.stop() }
        for _ in 1...2 {
            #expect(await client.get(peer.url(path)).isSuccess)
        }
        // The kept connection has answered once.
        let body = Data("amount=100".utf8)
        _ = await client.get(peer.url("/__reset"))
        let posts = [
            await client.post(peer.url(path), body), await client.post(peer.url(path), body),
            await client.post(peer.url(path), body),
        ]
        for ending in posts where !ending.isSuccess {
            #expect(ending.urlCode == .networkConnectionLost)
        }
        #expect(posts.contains { $0.isSuccess })
        let log = try #require(await client.get(peer.url("/__log")).text)
        #expect(log.components(separatedBy: "\"POST\"").count - 1 == posts.count)
    }

    @Test(
        arguments: [
            "/infinite-headers", "/1xx-infinite", "/unterminated-header", "/many-headers",
            "/big-header", "/redirect-huge", "/header-total", "/status-longreason",
            "/chunk-trailers",
        ])
    func `R09: a head without end fails at once, and the error says why`(path: String) async throws
    {
        let ending = try await get(path)
        #expect(ending.urlCode == .dataLengthExceedsMaximum)
        #expect(ending.seconds < 2)
        let words = "\(ending.error?.localizedDescription ?? "")".lowercased()
        #expect(!words.isEmpty && !words.contains("memory"))
    }

    @Test(
        arguments: [
            "/cl-negative", "/cl-text", "/cl-empty", "/cl-plus", "/cl-hex", "/cl-overflow",
            "/two-cl-differ", "/chunk-bad-size", "/chunk-overflow", "/chunk-negative",
            "/chunk-empty-size", "/chunk-no-crlf", "/chunk-size-short", "/no-colon",
            "/nul-in-value",
            "/nul-in-name", "/bare-cr", "/fold-first", "/te-twice", "/te-unknown", "/te-gzip",
        ])
    func `R10, R11: framing that has two meanings, or none, is a bad server response`(path: String)
        async throws
    {
        let ending = try await get(path)
        #expect(ending.urlCode == .badServerResponse)
        #expect(ending.data?.isEmpty ?? true || path.hasPrefix("/chunk-"))
    }

    @Test(
        arguments: [
            "/two-cl-differ", "/cl-overflow", "/cl-plus", "/cl-and-te", "/te-and-cl", "/te-http10",
            "/cl-short", "/204-body", "/304-body", "/extra-data", "/two-cl-same", "/cl-list",
        ])
    func `R11, R75: bytes behind an answer are never the next one's`(path: String) async throws {
        let peer = try FaultPeer.shared.get()
        let client = PeerClient(thread: NetworkThread(name: "left over"))
        for _ in 1...3 {
            _ = await client.get(peer.url(path))
            #expect(await client.get(peer.url("/ok")).text == "hello")
        }
    }

    @Test(
        arguments: [
            "/cl-and-te", "/te-and-cl", "/te-http10",
        ])
    func `R11: clear framing that others may see otherwise is read as by curl`(path: String)
        async throws
    {
        let peer = try FaultPeer()
        defer { peer.stop() }
        #expect(await client.get(peer.url(path)).text == "hello")
        #expect(await client.get(peer.url("/ok")).isSuccess)
        let counts = try #require(await client.get(peer.url("/__stats")).text)
        #expect(counts.contains("\"total\": 2"), "The connection was used again: \(counts)")
    }

    @Test(
        arguments: [
            "/early-hints", "/100-unasked", "/1xx-storm",
        ])
    func `R12: interim answers do not show`(path: String) async throws {
        let redirects = Locked(0)
        let request = URLRequest(url: try FaultPeer.shared.get().url(path), timeoutInterval: 5)
        let ending = await client.run(request) {
            $0.setRedirectResponseBlock { _, request, response in
                if response != nil { redirects.withLock { $0 += 1 } }
                return request
            }
        }
        #expect(ending.status == 200)
        #expect(ending.text == "ok")
        for name in ["X-Interim", "Link", "X-I"] { #expect(ending.fields[name] == nil) }
        #expect(redirects.withLock { $0 } == 0)
    }

    @Test
    func `R13: 101 that nobody asked for is an error, and what follows is no content`() async throws
    {
        let ending = try await get("/101-unasked")
        #expect(ending.urlCode == .badServerResponse)
        #expect(ending.data?.isEmpty ?? true)
    }

    @Test
    func `R14: fields of one name are joined, and no byte of a value is lost`() async throws {
        let joined = (0..<50).map { "v\($0)" }.joined(separator: ", ")
        #expect(try await get("/same-header").fields["X-Same"] == joined)
        #expect(try await get("/utf8-header").fields["X-Utf8"] == "gr\u{FC}\u{DF}e \u{2603}")
        #expect(try await get("/latin1-header").fields["X-Latin1"] == "gr\u{FC}\u{DF}e")
        let bad = try await get("/badutf8-header").fields["X-Bad"]
        #expect(bad == "\u{FF}\u{FE}\u{C0}\u{80}")
        #expect(try await get("/no-space-header").fields["X-Tight"] == "v")
        #expect(try await get("/empty-value").fields["X-Empty"] == "")
    }

    @Test
    func `R15: the members of a gzip body follow one another`() async throws {
        #expect(try await get("/gzip-members").text == "hello world")
        #expect(try await get("/deflate-raw").text == "hello deflate")
        #expect(try await get("/deflate-zlib").text == "hello deflate")
        #expect(try await get("/gzip-uninvited").text == "you asked")
        #expect(try await get("/gzip-junk").text == "hello")
    }

    @Test(
        arguments: [
            "/gzip-crc", "/gzip-lie", "/gzip-stack", "/br-lie", "/encoding-unknown",
        ])
    func `R15: a coded body that is broken says so`(path: String) async throws {
        let ending = try await get(path)
        #expect(ending.urlCode == .cannotDecodeContentData)
        #expect(ending.error?.localizedDescription.contains("writing") == false)
    }

    @Test(
        arguments: [
            500, 502, 503, 504,
        ])
    func `R16: an error of a gateway fails with its answer at hand`(status: Int) async throws {
        let ending = try await get("/status?code=\(status)")
        #expect(ending.error?.code == URLError.badServerResponse.rawValue)
        #expect(ending.status == status)
        #expect(ending.text == "{\"code\": \(status)}")
    }

    @Test(
        arguments: [
            "/garbage", "/http09", "/h2-settings", "/tls-alert", "/ssh-banner", "/leading-crlf",
            "/status-text", "/status-2digit", "/status-4digit", "/status-000", "/status-neg",
            "/version-9", "/version-1", "/version-1.2",
        ])
    func `R17: what is not HTTP is not an unsupported URL`(path: String) async throws {
        let ending = try await get(path)
        #expect(ending.urlCode == .cannotParseResponse)
        #expect(ending.status == nil)
    }
}
