import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("Files of downloads", .timeLimit(.minutes(2)))
struct DownloadFileTests {
    @Test func `a download without destination stays when its request goes`() async throws {
        let world = TestWorld.requests()
        var places: [URL] = []
        let gone = Signal()
        do {
            let sentinel = Sentinel(gone)
            let request = world.manager.download(world.address("/ok"))
            request.downloadProgress { _ in sentinel.touch() }
            places.append(try #require(await request.ended().temporaryURL))
        }
        await gone.wait(for: 1, "the request to go")
        places.append(
            try await world.manager.download(world.address("/ok")).serializingDownloadedFileURL()
                .value)
        for place in places {
            #expect(try Data(contentsOf: place) == Data("hello world".utf8))
            try FileManager.default.removeItem(at: place)
        }
    }

    @Test func `a retry removes the file of the attempt before, which nobody was given`()
        async throws
    {
        let world = TestWorld.requests()
        world.manager.retrier = Retrier.upTo(1)
        let places = Log<URL?>()
        let request = world.manager.download(world.address("/status/503"))
        let response = await request.validate { _, _, place, _ in
            places.add(place)
            return .failure(PlainError(tag: "refused"))
        }.ended()
        let seen = places.all.compactMap { $0?.path }
        #expect(Set(seen).count == 2)
        #expect(seen.map(FileManager.default.fileExists(atPath:)) == [false, true])
        try FileManager.default.removeItem(at: #require(response.temporaryURL))
    }

    @Test func `a file that could not be moved goes with its request`() async throws {
        let world = TestWorld.requests()
        let scratch = TemporaryFolder()
        let place = try scratch.write("f", Data("old".utf8))
        let path: String
        do {
            let request = world.manager.download(world.address("/ok")) { _, _ in (place, []) }
            path = try #require(await request.ended().temporaryURL).path
        }
        while FileManager.default.fileExists(atPath: path), !Task.isCancelled {
            await Task.yield()
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a destination that is the temporary file does not remove the download`()
        async throws
    {
        let world = TestWorld.requests()
        for options: DownloadRequest.DownloadOptions in [[], .removePreviousFile] {
            let request = world.manager.download(world.address("/ok")) { place, _ in
                (place, options)
            }
            let response = await request.ended()
            // Without the option a file is there already, as for the original.
            let isTaken = response.error?.code == CocoaError.Code.fileWriteFileExists.rawValue
            #expect(options.isEmpty ? isTaken : response.error == nil)
            let place = try #require(response.destinationURL)
            #expect(try Data(contentsOf: place) == Data("hello world".utf8))
            try FileManager.default.removeItem(at: place)
        }
    }

    @Test func `a cancelled download goes on with its resume data, without the adapter`()
        async throws
    {
        let world = TestWorld.requests()
        let scratch = TemporaryFolder()
        let come = Signal()
        world.server.add("/held/bytes") { request in Self.part(of: request) }
        world.manager.startRequestsImmediately = false
        let request = world.manager.download(world.address("/held/bytes")) { _, _ in
            (scratch.file("none"), [])
        }
        request.downloadProgress { _ in come.fire() }
        request.resume()
        await come.wait()
        world.manager.startRequestsImmediately = true
        request.cancel()
        let response = await request.ended()
        let resumeData = try #require(response.resumeData)
        #expect(response.error?.code == URLError.Code.cancelled.rawValue)
        #expect(request.resumeData == resumeData)
        #expect(request.delegate.data == resumeData)
        world.manager.adapter = Adapter { _ in throw PlainError(tag: "asked") }
        let rest = world.manager.download(resumingWith: resumeData) { _, _ in
            (scratch.file("whole"), [])
        }
        world.server.release("rest")
        #expect(await rest.ended().error == nil)
        #expect(try Data(contentsOf: scratch.file("whole")).count == 4_000)
        #expect(rest.progress.completedUnitCount == 4_000)
    }

    private static func part(of request: RecordedRequest) -> ScriptedResponse {
        let body = Data((0..<4_000).map { UInt8(truncatingIfNeeded: $0) })
        let fields = [("ETag", "\"v\""), ("Accept-Ranges", "bytes")]
        let range = request.headers["Range"].flatMap { text in
            Int(text.dropFirst("bytes=".count).prefix { $0 != "-" })
        }
        guard let start = range else {
            let head = ScriptedResponse.head(200, fields + [("Content-Length", "4000")])
            return ScriptedResponse([
                .bytes(head + body.prefix(1_000)), .wait(gate: "rest"),
                .bytes(body.dropFirst(1_000)),
            ])
        }
        let rest = body.dropFirst(start)
        let own = [
            ("Content-Length", "\(rest.count)"), ("Content-Range", "bytes \(start)-3999/4000"),
        ]
        return ScriptedResponse([.bytes(ScriptedResponse.head(206, fields + own) + rest)])
    }

    @Test func `a move that fails is the request's error, and the file is kept for the handlers`()
        async throws
    {
        let world = TestWorld.requests()
        let scratch = TemporaryFolder()
        let place = try scratch.write("f", Data("old".utf8))
        let request = world.manager.download(world.address("/ok")) { _, _ in (place, []) }
        let response = await request.ended()
        #expect(response.error?.code == CocoaError.Code.fileWriteFileExists.rawValue)
        #expect(scratch.text("f") == "old")
        #expect(try Data(contentsOf: #require(response.temporaryURL)).count == 11)
        withExtendedLifetime(request) {}
    }

    @Test func `a failed validation leaves the file at its destination`() async throws {
        let world = TestWorld.requests()
        let scratch = TemporaryFolder()
        let request = world.manager.download(world.address("/status/404")) { _, _ in
            (scratch.file("f"), [])
        }
        #expect(await (request.validate().ended().error as? AFError)?.responseCode == 404)
        #expect(scratch.text("f") != nil)
    }

    @Test func `a retried download replaces its own file, and no stranger's`() async throws {
        let world = TestWorld.requests()
        let scratch = TemporaryFolder()
        let counts = Locked(0)
        world.server.add("/flaky") { _ in
            let number = counts.withLock { counts in
                counts += 1
                return counts
            }
            return .text("try \(number)", status: number < 3 ? 503 : 200)
        }
        world.manager.retrier = Retrier { request, error, completion in
            completion(error is AFError && request.retryCount < 2, 0)
        }
        let request = world.manager.download(world.address("/flaky")) { _, _ in
            (scratch.file("f"), [])
        }
        #expect(await request.validate().ended().error == nil)
        #expect(scratch.text("f") == "try 3")
        let other = world.manager.download(world.address("/ok")) { _, _ in (scratch.file("f"), []) }
        #expect(await other.ended().error != nil)
        #expect(scratch.text("f") == "try 3")
    }
}
