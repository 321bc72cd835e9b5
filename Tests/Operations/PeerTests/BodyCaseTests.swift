import CurlConnection
import OperationNetworking
import ProcessUse
import TestSupport

/// Acceptance cases of bodies both ways, under their ids.
@Suite(
    "Cases R65 to R77: bodies", .timeLimit(.minutes(2)),
    .enabled(if: FaultPeer.isAvailable, FaultPeer.need))
struct BodyCaseTests {
    private let client = PeerClient()

    private func peer() throws -> FaultPeer { try FaultPeer.shared.get() }

    // MARK: Uploads

    private static let upload = Data(count: 5 << 20)

    @Test
    func `R70: an answer before the end of the upload is the answer`() async throws {
        let refused = await client.post(try peer().url("/early-413"), Self.upload)
        #expect(refused.status == 413)
        #expect(refused.error?.code == URLError.badServerResponse.rawValue)
        #expect(refused.text == "{\"error\": \"too large\"}")
        let taken = await client.post(try peer().url("/early-200"), Self.upload)
        #expect(taken.isSuccess)
        #expect(taken.text == "early")
    }

    @Test
    func `R70: an upload that is cut off, or not read, fails in time`() async throws {
        let reset = await client.post(try peer().url("/upload-rst"), Self.upload)
        #expect(reset.urlCode == .networkConnectionLost)
        let stuck = await client.post(
            try peer().url("/upload-never"), Data(count: 32 << 20), timeout: 2)
        #expect(stuck.urlCode == .timedOut)
        #expect((2..<4).contains(stuck.seconds))
    }

    @Test
    func `R70: a slow server gets it all, and progress only grows`() async throws {
        let totals = Locked<[Int64]>([])
        var request = URLRequest(
            url: try peer().url("/upload-slow?rate=8000000"), timeoutInterval: 5)
        request.httpMethod = "POST"
        request.httpBody = Self.upload
        let ending = await client.run(request) {
            $0.completionQueue = client.queue
            $0.setUploadProgressBlock { _, total, _ in totals.withLock { $0.append(total) } }
        }
        #expect(ending.text == "{\"body_len\": \(Self.upload.count)}")
        let seen = totals.withLock { $0 }
        #expect(seen == seen.sorted())
        #expect(seen.allSatisfy { $0 <= Self.upload.count })
    }

    @Test
    func `R70: nothing waits for 100, and a refused expectation leaves no half body behind`()
        async throws
    {
        let ignored = await client.post(try peer().url("/expect-ignore"), Self.upload)
        #expect(ignored.isSuccess)
        #expect(ignored.seconds < 3)
        var request = URLRequest(url: try peer().url("/expect-417"), timeoutInterval: 5)
        request.httpMethod = "POST"
        request.httpBody = Self.upload
        #expect(await client.run(request).isSuccess)
        request.setValue("100-continue", forHTTPHeaderField: "Expect")
        let refused = await client.run(request)
        // 417 as it is, or one clean repetition without the expectation.
        #expect(refused.status == 417 || refused.text?.contains("\(Self.upload.count)") == true)
        #expect(await client.get(try peer().url("/ok")).text == "hello")
    }

    // MARK: Hostile bodies

    @Test(
        arguments: [
            "/json-bad", "/json-badutf8", "/json-nan", "/html-as-json", "/json-deep",
            "/json-deep-object", "/charset-lie",
        ])
    func `R71: content that is broken fails with response and bytes at hand`(path: String)
        async throws
    {
        let ending = await PeerClient(JSONResponseSerializer()).get(try peer().url(path))
        #expect(!ending.isSuccess)
        #expect(ending.status == 200)
        #expect(ending.data?.isEmpty == false)
    }

    @Test(
        arguments: [
            "/json", "/json-dup", "/json-nulls", "/charset-quoted", "/ctype-upper", "/json-bom",
        ])
    func `R71: odd content that is legal succeeds`(path: String) async throws {
        #expect(
            await PeerClient(JSONResponseSerializer()).get(try peer().url(path)).isSuccess)
    }

    @Test
    func `R71: a body of one space is no JSON and no error`() async throws {
        let ending = await PeerClient(JSONResponseSerializer()).get(try peer().url("/json-space"))
        #expect(ending.isSuccess)
        #expect(ending.success == Data("nil".utf8) || ending.success == Data())
    }

    @Test
    func `R71: each content ends once with each serializer, and none ends the process`()
        async throws
    {
        let paths = try FaultPeer.paths(inGroup: "content")
        #expect(paths.count == 37)
        let clients = [
            PeerClient(JSONResponseSerializer()), PeerClient(XMLParserResponseSerializer()),
            PeerClient(PropertyListResponseSerializer()),
        ]
        // The big ones have a test of their own.
        for path in paths where !["/json-large", "/json-manykeys"].contains(path) {
            for client in clients {
                let ending = await client.get(try peer().url(path), timeout: 20)
                #expect(ending.status == 200, "\(path)")
            }
        }
        for client in clients { #expect(client.endedTwice == 0) }
    }

    @Test(
        arguments: [
            ("/charset-latin1", "gr\u{FC}\u{DF}e"), ("/charset-unknown", "nuqneH"),
            ("/charset-utf7", nil), ("/charset-lie", nil), ("/ctype-junk", "{\"ok\": true}"),
            ("/ctype-list", nil), ("/charset-quoted", "{\"ok\": true}"),
        ] as [(String, String?)])
    func `R74: text in any charset, real or not, does no harm`(path: String, text: String?)
        async throws
    {
        let kept = Locked<HTTPRequestOperation?>(nil)
        let request = URLRequest(url: try peer().url(path), timeoutInterval: 5)
        let ending = await client.run(request) { made in kept.withLock { $0 = made } }
        #expect(ending.isSuccess)
        let read = kept.withLock { $0?.responseString }
        if let text { #expect(read == text) }
    }

    @Test
    func `R74: a content type that was not asked for fails, with the bytes at hand`() async throws {
        let ending = await PeerClient(JSONResponseSerializer()).get(try peer().url("/json-html"))
        #expect(ending.error?.domain == "com.alamofire.error.serialization.response")
        #expect(ending.error?.code == URLError.cannotDecodeContentData.rawValue)
        #expect(ending.text == "{\"ok\": true}")
    }

    @Test(
        arguments: [
            ("GET", "/204-body", 204), ("GET", "/304-body", 304), ("HEAD", "/head-body", 200),
            ("HEAD", "/bytes", 200), ("GET", "/status?code=204", 204), ("HEAD", "/chunked", 200),
        ])
    func `R75: answers that have no body have none, and the next one is its own`(
        method: String, path: String, status: Int
    ) async throws {
        let client = PeerClient(thread: NetworkThread(name: "no body"))
        let other = PeerClient(thread: NetworkThread(name: "another connection"))
        var request = URLRequest(url: try peer().url(path), timeoutInterval: 5)
        request.httpMethod = method
        for _ in 1...2 {
            let ending = await client.run(request)
            #expect(ending.status == status)
            #expect(ending.data?.isEmpty ?? true)
            // The peer has one thread: it answers this one after the last byte that it sends too many.
            #expect(await other.get(try peer().url("/ok")).text == "hello")
            #expect(await client.get(try peer().url("/ok")).text == "hello")
        }
    }
}

/// The cases that measure the whole process, one after another.
@Suite(
    "Cases R65 and R77: memory and descriptors", .serialized, .timeLimit(.minutes(3)),
    .enabled(if: FaultPeer.isAvailable, FaultPeer.need))
struct ResourceCaseTests {
    private let client = PeerClient()

    @Test(
        arguments: [
            "/gzip-bomb?mb=512", "/gzip-bomb-json?mb=512", "/gzip-bomb-double?mb=512",
            "/infinite-body",
        ])
    func `R65: a body without end, or a bomb, ends with its own error in bounded memory`(
        path: String
    ) async throws {
        let peer = try FaultPeer.shared.get()
        _ = await client.get(peer.url("/ok"))
        let before = try PeakMemory.reset()
        let ending = await client.get(peer.url(path), timeout: 30)
        let growth = try PeakMemory.now() - before
        print("R65 \(path): memory grew by \(growth >> 10) KiB")
        #expect(ending.urlCode == .dataLengthExceedsMaximum)
        if PeakMemory.isMeaningful { #expect(growth < 100 << 20) }
    }

    @Test
    func `R65: a stream takes a long body in little memory, and can be cancelled`() async throws {
        let peer = try FaultPeer.shared.get()
        let before = try PeakMemory.reset()
        let request = URLRequest(url: peer.url("/infinite-body?mb=256"), timeoutInterval: 30)
        let received = Locked<Int64>(0)
        let ending = await client.run(request) {
            $0.outputStream = OutputStream(toFileAtPath: "/dev/null", append: true)
            $0.setDownloadProgressBlock { _, total, _ in received.withLock { $0 = total } }
        }
        let growth = try PeakMemory.now() - before
        print("R65 streamed: memory grew by \(growth >> 10) KiB")
        // The server ends it without a last chunk.
        #expect(ending.urlCode == .networkConnectionLost)
        if PeakMemory.isMeaningful { #expect(growth < 40 << 20) }
        let endless = URLRequest(url: peer.url("/infinite-body"), timeoutInterval: 30)
        let cancelled = await client.run(endless) { operation in
            operation.outputStream = OutputStream(toFileAtPath: "/dev/null", append: true)
            operation.setDownloadProgressBlock { [weak operation] _, _, _ in operation?.cancel() }
        }
        #expect(cancelled.urlCode == .cancelled)
    }

    @Test
    func `R77: without descriptors requests fail or wait, and afterwards all is well`() async throws
    {
        await #expect(processExitsWith: .success) {
            let peer = try FaultPeer()
            defer { peer.stop() }
            let client = PeerClient()
            #expect(await client.get(peer.url("/ok")).isSuccess)
            var old = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
            let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            var few = rlimit(rlim_cur: rlim_t(files + 16), rlim_max: old.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &few)
            let ended = await withTaskGroup(of: Void.self, returning: Int.self) { group in
                for _ in 0..<500 {
                    group.addTask { _ = await client.get(peer.url("/ok"), timeout: 20) }
                }
                return await group.reduce(0) { count, _ in count + 1 }
            }
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
            #expect(ended == 500)
            for _ in 1...10 {
                #expect(await client.get(peer.url("/ok")).isSuccess)
            }
            #expect(client.endedTwice == 0)
        }
    }
}
