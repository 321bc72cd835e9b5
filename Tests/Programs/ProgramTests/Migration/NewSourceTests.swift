import CurlConnection
import Foundation
import FoundationNetworking
import LoopbackServer
import NetworkImages
import OperationNetworking
import Testing

/// What MIGRATION.md shows as "after"; the sources before are run by the tests of the old names.
@Suite("New sources", .timeLimit(.minutes(5)))
struct NewSourceTests {
    @Test
    func `a parameter goes out, JSON comes back`() async throws {
        let room = try Room()
        #expect(await answer { helloJSON(room.baseURL, $0) } == "JSON: bar")
    }

    @Test @MainActor
    func `a picture is shown in a view, and a placeholder before it`() async throws {
        let room = try Room()
        let gray = try #require(
            DecodedImage(
                pixels: Data(repeating: 9, count: 4), size: PixelSize(width: 1, height: 1)))
        let png = try PNGEncoder().data(for: gray.with(scale: 1))
        room.server.add("/picture") { _ in .data(png, contentType: "image/png") }
        let cell = PictureCell()
        let url = try #require(URL(string: room.url("/picture")))
        let error = await withCheckedContinuation { continuation in
            cell.show(url, gray: gray) { continuation.resume(returning: $0) }
            #expect(cell.image == gray)
        }
        #expect(error == nil && cell.image?.format == .png)
    }

    @Test
    func `the shared client is one, and its method finds the answer`() async throws {
        #expect(WeatherClient.shared === WeatherClient.shared)
        let room = try Room()
        room.server.add("/forecast") {
            .json("{\"summary\":\"rain in \($0.query["city"] ?? "")\"}")
        }
        let client = WeatherClient(baseURL: room.baseURL)
        let summary = try await answer { client.forecast(city: "Bath", completion: $0) }.get()
        #expect(summary == "rain in Bath")
    }

    @Test
    func `the JSON serializer sends JSON with the manager's header`() async throws {
        let room = try Room()
        let _: Bool = await answer { finish in
            OrderSender().sendAsJSON(room.url("/upload")) { finish(true) }
        }
        let request = try #require(room.server.requests.first)
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(request.headers["X-Api-Key"] == "secret")
    }

    @Test
    func `a widened type is read as JSON`() async throws {
        let room = try Room()
        room.server.add("/page") { _ in .text("[1,2]", contentType: "text/html; charset=utf-8") }
        let numbers: [Int]? = await answer { finish in
            readLenientJSON(room.url("/page")) { finish($0 as? [Int]) }
        }
        #expect(numbers == [1, 2])
    }

    @Test
    func `a failure carries status and body`() async throws {
        let room = try Room()
        room.server.add("/missing") { _ in .json("{\"why\":\"gone\"}", status: 404) }
        let told: String = await answer { finish in
            messageOfFailure(room.url("/missing")) { finish("\($0) \($1)") }
        }
        #expect(told == "404 {\"why\":\"gone\"}")
    }

    @Test
    func `an operation runs without a queue`() async throws {
        let room = try Room()
        let object: [String: String]? = await answer { finish in
            _ = loadOnce(room.server.url("/json")) { object, _ in
                finish(object as? [String: String])
            }
        }
        #expect(object == ["a": "b"])
    }

    @Test
    func `a photo goes out with its fields`() async throws {
        let room = try Room()
        room.server.add("/photos") { _ in .json("{}") }
        let thumbnail = try room.file("small.png", Data("PNG".utf8))
        let uploader = PhotoUploader(
            manager: HTTPRequestOperationManager(baseURL: room.baseURL))
        let isSent: Bool = await answer { finish in
            uploader.upload(photo: Data("JPEG".utf8), thumbnail: thumbnail, title: "Sea") {
                finish($0 == nil)
            }
        }
        #expect(isSent)
        let body = String(decoding: room.server.requests.first?.body ?? Data(), as: UTF8.self)
        let names = ["title", "photo", "thumbnail", "visibility"].map { "name=\"\($0)\"" }
        let places = names.compactMap { body.range(of: $0)?.lowerBound }
        #expect(places.count == 4)
        #expect(places == places.sorted())
    }

    @Test
    func `a download lies in the file, and its progress ends at one`() async throws {
        let room = try Room()
        let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        room.server.add("/big") { _ in .data(data) }
        let file = try room.file("big.bin", Data())
        let (shares, continuation) = AsyncStream.makeStream(of: Double.self)
        let isDone: Bool = await answer { finish in
            ProgramTests.download(
                room.server.url("/big"), to: file.path, progress: { continuation.yield($0) },
                completion: { finish($0 == nil) })
        }
        continuation.finish()
        #expect(isDone)
        #expect(try Data(contentsOf: file) == data)
        var last = 0.0
        for await share in shares { last = share }
        #expect(last == 1)
    }

    @Test
    func `a batch counts up and ends once`() async throws {
        let room = try Room()
        let urls = ["/ok", "/json", "/status/500"].map { room.server.url($0) }
        let (steps, continuation) = AsyncStream.makeStream(of: String.self)
        let good = await answer {
            BatchRunner().run(urls, step: { continuation.yield($0) }, completion: $0)
        }
        continuation.finish()
        #expect(good == 2)
        var all: [String] = []
        for await step in steps { all.append(step) }
        #expect(all.count == 3)
        #expect(all.last == "3 of 3")
    }

    @Test
    @MainActor
    func `a banner hears of the status`() async throws {
        let banner = ReachabilityBanner(manager: NetworkReachabilityManager(domain: "127.0.0.1"))
        banner.text = "before"
        let (reports, continuation) = AsyncStream.makeStream(of: Void.self)
        let observer = NotificationCenter.default.addObserver(
            forName: .networkingReachabilityDidChange, object: nil, queue: nil
        ) { _ in continuation.yield() }
        defer { NotificationCenter.default.removeObserver(observer) }
        banner.start()
        for await _ in reports where banner.text != "before" { break }
        banner.manager.stopMonitoring()
        #expect(banner.text != "before")
    }

    @Test
    func `a request made by hand becomes an operation`() async throws {
        let room = try Room()
        let factory = RequestFactory()
        let status = try await answer {
            try factory.send(room.url("/json"), parameters: ["a": "b"], completion: $0)
        }
        #expect(status == 200)
        #expect(room.server.requests.first?.headers["X-Attempt"] == "1")
        #expect(throws: (any Error).self) {
            try factory.send("", parameters: [:]) { _ in }
        }
    }

    @Test
    func `an override is reached by every verb`() async throws {
        let room = try Room()
        let client: HTTPRequestOperationManager = SigningClient(baseURL: room.baseURL)
        let _: Bool = await answer { finish in
            client.get("json", success: { _, _ in finish(true) })
        }
        #expect(room.server.requests.first?.headers["X-Signature"] == "signature of /json")
    }

    // MARK: - Habits

    @Test
    func `a pinned manager talks to the server that has the pin, and to no other`() async throws {
        let room = try Room()
        let identity = try TLSIdentity(.loopback)
        let pin = try room.file("pin.cer", identity.der)
        var statuses: [Int?] = []
        for shown in [identity, try TLSIdentity(.loopback)] {
            let server = LoopbackServer(tls: TLSSettings(shown))
            try server.start()
            defer { server.stop() }
            let manager = try pinnedBank(server.baseURL, certificate: pin)
            // The test's certificate has signed itself.
            manager.securityPolicy.allowInvalidCertificates = true
            let status: Int? = await answer { finish in
                manager.get("json") { operation, _ in
                    finish(operation.response?.statusCode)
                } failure: { operation, _ in
                    finish(operation?.response?.statusCode)
                }
            }
            statuses.append(status)
            #expect(server.requests.count == (status == nil ? 0 : 1))
        }
        #expect(statuses == [200, nil])
        let none = try room.file("none.cer", Data("no certificate".utf8))
        #expect(throws: CertificateError.self) {
            try pinnedBank(room.baseURL, certificate: none)
        }
    }

    @Test
    func `an upload's meter climbs to one`() async throws {
        let room = try Room()
        room.server.add("/upload") { _ in .json("{}") }
        let file = try room.file("v.mp4", Data(repeating: 1, count: 300_000))
        let (shares, continuation) = AsyncStream.makeStream(of: Double.self)
        let uploader = UploadMeter()
        // Held, so that nothing is sent before the block is set.
        uploader.manager.operationQueue.isSuspended = true
        let isSent: Bool = await answer { finish in
            uploader.send(file, to: room.url("/upload")) {
                continuation.yield($0)
            } completion: {
                finish($0 == nil)
            }
            uploader.manager.operationQueue.isSuspended = false
        }
        continuation.finish()
        #expect(isSent)
        var all: [Double] = []
        for await share in shares { all.append(share) }
        #expect(all.last == 1)
        #expect(all == all.sorted())
    }

    @Test
    func `a player pauses and goes on, and has all bytes`() async throws {
        let room = try Room()
        let data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        room.server.hold("half")
        room.server.add("/tape") { request in
            let head = [("ETag", "\"t\"")]
            if let range = request.headers["Range"], let from = Int(range.dropFirst(6).dropLast()) {
                let place = "bytes \(from)-\(data.count - 1)/\(data.count)"
                return .data(
                    data.dropFirst(from), status: 206, headers: head + [("Content-Range", place)])
            }
            let whole = ScriptedResponse.head(200, head + [("Content-Length", "\(data.count)")])
            return ScriptedResponse([
                .bytes(whole + data.prefix(100_000)), .wait(gate: "half"),
                .bytes(data.dropFirst(100_000)),
            ])
        }
        let (counts, continuation) = AsyncStream.makeStream(of: Int64.self)
        let player = Player(url: room.server.url("/tape")) { continuation.yield($0) }
        let end = Task {
            await answer { (finish: @escaping @Sendable (Bool) -> Void) in
                player.operation.setCompletionBlock { _, _ in
                    finish(true)
                } failure: { _, _ in
                    finish(false)
                }
                player.operation.start()
            }
        }
        for await count in counts where count == 100_000 { break }
        player.toggle()
        #expect(player.operation.isPaused)
        player.toggle()
        #expect(await end.value)
        room.server.release("half")
        #expect(player.operation.responseData == data)
        #expect(room.server.requests.map { $0.headers["Range"] } == [nil, "bytes=100000-"])
    }

    @Test
    func `a batch leaves after the operation it depends on, and ends once`() async throws {
        let room = try Room()
        let episodes = ["/ok?1", "/ok?2", "/ok?3"].map { room.server.url($0) }
        let (steps, continuation) = AsyncStream.makeStream(of: String.self)
        let count = await answer {
            EpisodeSync().run(
                room.server.url("/json"), episodes, step: { continuation.yield($0) },
                completion: $0)
        }
        continuation.finish()
        #expect(count == 3)
        var last = ""
        for await step in steps { last = step }
        #expect(last == "3 of 3")
        #expect(room.server.requests.first?.path == "/json")
        #expect(room.server.requests.count == 4)
    }
}
