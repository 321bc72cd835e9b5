import AFNetworking
@testable import OldAFNetworking
import TestSupport

/// Which source of a pair a test runs.
enum Spelling: CaseIterable, Sendable {
    case before, after
}

/// What MIGRATION.md shows, before and after.
@Suite("Pairs of MIGRATION.md", .timeLimit(.minutes(5)))
struct OperationPairTests {
    @Test(arguments: Spelling.allCases)
    func `a parameter goes out, JSON comes back`(_ spelling: Spelling) async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/get") { .json(encoding: ["foo": $0.query["foo"] ?? ""]) }
        let text = await answer { finish in
            switch spelling {
            case .before: OldAFNetworking.helloJSON(world.baseURL, finish)
            case .after: ProgramTests.helloJSON(world.baseURL, finish)
            }
        }
        #expect(text == "JSON: bar")
    }

    @Test(arguments: Spelling.allCases) @MainActor
    func `a picture is shown in a view, and a placeholder before it`(
        _ spelling: Spelling
    ) async throws {
        let world = TestWorld(programs: .standard)
        let gray = try #require(
            DecodedImage(
                pixels: Data(repeating: 9, count: 4), size: PixelSize(width: 1, height: 1)))
        let picture = try #require(
            DecodedImage(
                pixels: Data(repeating: 255, count: 40), size: PixelSize(width: 5, height: 2)))
        let png = try PNGEncoder().data(for: picture)
        world.server.add("/picture") { _ in .data(png, contentType: "image/png") }
        let (old, new) = (OldAFNetworking.PictureCell(), PictureCell())
        let image = { spelling == .before ? old.image : new.image }
        let ends = Log<(any Error)?>()
        let show = { (url: URL) in
            switch spelling {
            case .before: old.show(url, gray: gray) { ends.add($0) }
            case .after: new.show(url, gray: gray) { ends.add($0) }
            }
        }
        show(world.server.url("/picture"))
        #expect(image() == gray)
        #expect(await ends.reaches(1))
        #expect(ends.all[0] == nil && image()?.pixelWidth == 5 && image()?.format == .png)
        show(world.server.url("/nothing"))
        #expect(await ends.reaches(2))
        #expect(ends.all[1] != nil && image() == gray)
    }

    @Test(arguments: Spelling.allCases)
    func `the shared client is one, and its method finds the answer`(
        _ spelling: Spelling
    ) async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/forecast") {
            .json("{\"summary\":\"rain in \($0.query["city"] ?? "")\"}")
        }
        let summary: String?
        switch spelling {
        case .before:
            typealias Client = OldAFNetworking.WeatherClient
            #expect(Client.sharedInstance === Client.sharedInstance)
            #expect(Client.sharedInstance.baseURL?.absoluteString.hasSuffix("/v1/") == true)
            let client = Client(baseURL: world.baseURL)
            summary = await answer { finish in
                client.forecast(city: "Bath") { text, _ in finish(text) }
            }
        case .after:
            #expect(WeatherClient.shared === WeatherClient.shared)
            #expect(WeatherClient.shared.baseURL?.absoluteString.hasSuffix("/v1/") == true)
            let client = WeatherClient(baseURL: world.baseURL)
            summary = try await answer { client.forecast(city: "Bath", completion: $0) }.get()
        }
        #expect(summary == "rain in Bath")
    }

    @Test(arguments: Spelling.allCases)
    func `the JSON serializer sends JSON with the manager's header`(
        _ spelling: Spelling
    ) async throws {
        let world = TestWorld(programs: .standard)
        await done { finish in
            switch spelling {
            case .before:
                OldAFNetworking.OrderSender().sendAsJSON(world.address("/upload"), done: finish)
            case .after: OrderSender().sendAsJSON(world.address("/upload"), done: finish)
            }
        }
        let request = try #require(world.server.requests.first)
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(request.headers["X-Api-Key"] == "secret")
        let json = try JSONSerialization.jsonObject(with: request.body)
        #expect(json as? [String: Int] == ["a": 1, "b": 2])
    }

    @Test(arguments: Spelling.allCases)
    func `a widened type is read as JSON`(_ spelling: Spelling) async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/page") { _ in .text("[1,2]", contentType: "text/html; charset=utf-8") }
        let url = world.address("/page")
        let numbers: [Int]? = await answer { finish in
            switch spelling {
            case .before: OldAFNetworking.readLenientJSON(url) { finish($0 as? [Int]) }
            case .after: ProgramTests.readLenientJSON(url) { finish($0 as? [Int]) }
            }
        }
        #expect(numbers == [1, 2])
    }

    @Test(arguments: Spelling.allCases)
    func `a failure carries status and body`(_ spelling: Spelling) async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/missing") { _ in .json("{\"why\":\"gone\"}", status: 404) }
        let url = world.address("/missing")
        let reported: String = await answer { finish in
            switch spelling {
            case .before: OldAFNetworking.messageOfFailure(url) { finish("\($0) \($1)") }
            case .after: ProgramTests.messageOfFailure(url) { finish("\($0) \($1)") }
            }
        }
        #expect(reported == "404 {\"why\":\"gone\"}")
    }

    @Test(arguments: Spelling.allCases)
    func `an operation runs without a queue`(_ spelling: Spelling) async throws {
        let world = TestWorld(programs: .standard)
        let url = world.server.url("/json")
        let object: [String: String]? = await answer { finish in
            switch spelling {
            case .before:
                _ = OldAFNetworking.loadOnce(url) {
                    finish($1 == nil ? $0 as? [String: String] : nil)
                }
            case .after:
                _ = ProgramTests.loadOnce(url) { finish($1 == nil ? $0 as? [String: String] : nil) }
            }
        }
        #expect(object == ["a": "b"])
    }

    @Test(arguments: Spelling.allCases)
    func `a photo goes out with its fields, the parameters first`(
        _ spelling: Spelling
    ) async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/photos") { _ in .json("{}") }
        let small = try world.files.write("small.png", Data("PNG".utf8))
        let photo = Data("JPEG".utf8)
        let error: (any Error)? = await answer { finish in
            switch spelling {
            case .before:
                OldAFNetworking.PhotoUploader(baseURL: world.baseURL)
                    .upload(photo: photo, thumbnail: small, title: "Sea", completion: finish)
            case .after:
                PhotoUploader(manager: HTTPRequestOperationManager(baseURL: world.baseURL))
                    .upload(photo: photo, thumbnail: small, title: "Sea", completion: finish)
            }
        }
        #expect(error == nil)
        let request = try #require(world.server.requests.first)
        let type = try #require(request.headers["Content-Type"])
        #expect(type.hasPrefix("multipart/form-data; boundary="))
        let boundary = type.components(separatedBy: "boundary=")[1]
        let body = String(decoding: request.body, as: UTF8.self)
        let parts = body.components(separatedBy: "--" + boundary)
        try #require(parts.count == 6)
        #expect(parts[1].contains("name=\"title\"\r\n\r\nSea\r\n"))
        #expect(
            parts[2].contains(
                "name=\"photo\"; filename=\"photo.jpg\"\r\nContent-Type: image/jpeg\r\n\r\nJPEG"))
        #expect(
            parts[3].contains(
                "name=\"thumbnail\"; filename=\"small.png\"\r\nContent-Type: image/png"))
        #expect(parts[4].contains("name=\"visibility\"\r\n\r\npublic\r\n"))
        #expect(request.headers["Content-Length"] == "\(request.bodyLength)")
    }

    @Test(arguments: Spelling.allCases)
    func `a download lies in the file, and its progress ends at one`(
        _ spelling: Spelling
    ) async throws {
        let world = TestWorld(programs: .standard)
        let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        world.server.add("/big") { _ in .data(data) }
        let file = try world.files.write("big.bin", Data())
        let url = world.server.url("/big")
        let shares = Log<Double>()
        let error: (any Error)? = await answer { finish in
            switch spelling {
            case .before:
                OldAFNetworking.download(
                    url, to: file.path, progress: { shares.add(Double($0)) }, completion: finish)
            case .after:
                ProgramTests.download(
                    url, to: file.path, progress: { shares.add($0) }, completion: finish)
            }
        }
        #expect(error == nil)
        let isWhole = try Data(contentsOf: file) == data
        #expect(isWhole)
        #expect(shares.all.last == 1)
        #expect(shares.all == shares.all.sorted())
    }

    @Test(arguments: Spelling.allCases)
    func `a batch counts up and ends once`(_ spelling: Spelling) async throws {
        let world = TestWorld(programs: .standard)
        let urls = ["/ok", "/json", "/status/500"].map { world.server.url($0) }
        let old = OldAFNetworking.BatchRunner()
        let steps = Log<String>()
        let good: Int = await answer { finish in
            switch spelling {
            case .before: old.run(urls, completion: finish)
            case .after: BatchRunner().run(urls, step: { steps.add($0) }, completion: finish)
            }
        }
        #expect(good == 2)
        // Each step tells how many have finished by then, which may be all of them (BA-4).
        let all = spelling == .before ? old.steps : steps.all
        #expect(all.count == 3)
        #expect(all.last == "3 of 3")
    }

    @available(*, deprecated)
    @Test(arguments: Spelling.allCases) @MainActor
    func `a banner hears of the status`(_ spelling: Spelling) async throws {
        let manager = NetworkReachabilityManager(domain: "127.0.0.1")
        let old = OldAFNetworking.ReachabilityBanner(manager: manager)
        let new = ReachabilityBanner(manager: manager)
        let text = { spelling == .before ? old.text : new.text }
        (old.text, new.text) = ("before", "before")
        let (reports, continuation) = AsyncStream.makeStream(of: Void.self)
        let observer = NotificationCenter.default.addObserver(
            forName: spelling == .before
                ? .AFNetworkingReachabilityDidChange : .networkingReachabilityDidChange,
            object: nil, queue: nil
        ) { _ in continuation.yield() }
        defer { NotificationCenter.default.removeObserver(observer) }
        switch spelling {
        case .before: old.start()
        case .after: new.start()
        }
        for await _ in reports where text() != "before" { break }
        old.stop()
        #expect(text() != "before")
        #expect(manager.networkReachabilityStatus == manager.status)
        #expect(AFNetworkReachabilityManager.shared() === NetworkReachabilityManager.shared)
    }

    @Test(arguments: Spelling.allCases)
    func `a request made by hand becomes an operation`(_ spelling: Spelling) async throws {
        let world = TestWorld(programs: .standard)
        let (old, new) = (OldAFNetworking.RequestFactory(), RequestFactory())
        func send(_ url: String, _ parameters: [String: String]) async throws -> Int {
            try await answer { finish in
                switch spelling {
                case .before: old.send(url, parameters: parameters, completion: finish)
                case .after: try new.send(url, parameters: parameters, completion: finish)
                }
            }
        }
        #expect(try await send(world.address("/json"), ["a": "b"]) == 200)
        #expect(try await send(world.address("/nowhere"), [:]) == 404)
        #expect(world.server.requests.first?.headers["X-Attempt"] == "1")
        #expect(world.bodies("/json") == ["a=b"])
        switch spelling {
        case .before: #expect(try await send("", [:]) == 0)
        case .after: await #expect(throws: (any Error).self) { try await send("", [:]) }
        }
    }

    @Test(arguments: Spelling.allCases)
    func `an override is reached by every verb`(_ spelling: Spelling) async throws {
        let world = TestWorld(programs: .standard)
        let client: HTTPRequestOperationManager =
            switch spelling {
            case .before: OldAFNetworking.SigningClient(baseURL: world.baseURL)
            case .after: SigningClient(baseURL: world.baseURL)
            }
        await done { finish in
            switch spelling {
            case .before: callByVerb(client, finish)
            case .after: client.get("json", success: { _, _ in finish() })
            }
        }
        #expect(world.server.requests.first?.headers["X-Signature"] == "signature of /json")
    }
}
