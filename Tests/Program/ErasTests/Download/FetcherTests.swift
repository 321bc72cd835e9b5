import CurlConnection
import HTTPSemantics
import TestSupport

@testable import eras

@Suite("Fetching", .timeLimit(.minutes(2)))
struct FetcherTests {
    @Test func `each folder's files are stored at the end, or have failed`() async throws {
        let world = TestWorld()
        let urls = (0..<17).map {
            ListedURL(text: world.address("/bytes/1\($0)"), folder: $0 == 0 ? "a" : "b")
        }
        let folders = ["a", "b"].map { world.file($0).path }
        for folder in folders { try Directory(folder).make() }
        let items = DownloadItem.list(urls, directory: world.directory)
        let count = Latest(0)
        let results = await withCheckedContinuation { continuation in
            let fetcher = Fetcher(
                items, settings: .quick,
                finished: { _ in
                    count.change { $0 += 1 }
                    guard count.value == items.count else { return }
                    // As a disk that fails.
                    try? FileManager.default.removeItem(atPath: folders[1])
                }, completed: { continuation.resume(returning: $0) })
            fetcher.start()
        }
        #expect(results[0].error == nil)
        #expect(results.dropFirst().allSatisfy { $0.failure == .disk })
        #expect(Directory(folders[0]).fileSystem == Directory(world.directory).fileSystem)
        #expect(Directory(folders[1]).fileSystem == folders[1])
    }

    @Test func `a file arrives whole, with its hash, and leaves no part`() async throws {
        let world = TestWorld()
        let result = try #require(await world.fetch("/bytes/300001?seed=4").first)
        let expected = generated(4, 300_001)
        #expect(result.error == nil)
        #expect(result.path == "\(world.directory)/300001")
        #expect(result.bytes == 300_001)
        #expect(result.received == 300_001)
        #expect(result.sha256 == (try hash(expected)))
        #expect(result.resumedFrom == 0)
        #expect(result.thread == "AFNetworking")
        #expect(result.threads.count == 1)
        #expect(world.contents("300001") == expected)
        #expect(world.names == ["300001"])
    }

    @Test func `an empty file and one of unknown length arrive too`() async throws {
        let world = TestWorld()
        let results = await world.fetch("/bytes/0", "/no-length?size=5000&seed=2", "/204")
        #expect(results.map(\.error) == [nil, nil, nil])
        #expect(results.map(\.bytes) == [0, 5_000, 0])
        #expect(world.contents("no-length") == generated(2, 5_000))
    }

    @Test func `no more requests run at once than allowed`() async throws {
        let world = TestWorld()
        let paths = (0..<6).map { "/gate/g\($0)" }
        let server = world.server
        paths.indices.forEach { server.hold("g\($0)") }
        let urls = paths.map { server.url($0).absoluteString }
        var settings = Fetcher.Settings.quick
        settings.jobs = 2
        let results: [FetchResult] = await withCheckedContinuation { continuation in
            let fetcher = Fetcher(
                DownloadItem.list(urls, directory: world.directory), settings: settings
            ) { continuation.resume(returning: $0) }
            fetcher.start()
            let isFull = server.waitUntil(timeout: 30) { statistics, _ in
                statistics.inFlight == 2
            }
            #expect(isFull)
            paths.indices.forEach { server.release("g\($0)") }
        }
        #expect(results.allSatisfy { $0.error == nil })
        #expect(server.statistics.peakInFlight == 2)
    }

    @Test func `a refused file fails alone and leaves nothing`() async throws {
        let world = TestWorld()
        let results = await world.fetch(
            "/status/404", "/bytes/10", "gopher://h/x", "http://127.0.0.1/a\nb")
        #expect(results[0].error == "The server answered 404 (Not Found).")
        #expect(results[0].sha256 == nil && results[0].bytes == nil)
        #expect(results[1].error == nil)
        #expect(results[2].error != nil && results[2].path == nil)
        #expect(results[3].error != nil && results[3].path == nil)
        #expect(world.names == ["10"])
        #expect(world.server.requests.count == 2)
    }

    @Test func `a big refused body is not waited for`() async throws {
        let world = TestWorld()
        world.server.add("/huge") { _ in
            ScriptedResponse([
                .bytes(ScriptedResponse.head(403, [("Content-Length", "1000000")])),
                .generated(seed: 1, range: 0..<200_000), .stall,
            ])
        }
        var settings = Fetcher.Settings.quick
        settings.setup.timeout = 3_600
        let result = try #require(await world.fetch("/huge", settings: settings).first)
        #expect(result.error == "The server answered 403 (Forbidden).")
    }

    @Test func `an empty list is complete at once`() async throws {
        let world = TestWorld()
        #expect(await world.fetch().isEmpty)
    }

    @Test func `files of one name do not overwrite each other`() async throws {
        let world = TestWorld()
        _ = await world.fetch("/bytes/100?seed=1", "/bytes/100?seed=2")
        #expect(world.contents("100") == generated(1, 100))
        #expect(world.contents("100-2") == generated(2, 100))
    }

    @Test func `what cannot be written fails with the system's reason`() async throws {
        let world = TestWorld()
        try FileManager.default.createDirectory(
            atPath: world.directory + "/100.part", withIntermediateDirectories: false)
        let result = try #require(await world.fetch("/bytes/100").first)
        #expect(result.error == "Could not open \(world.directory)/100.part: Is a directory.")
        #expect(world.server.requests.count == 1)
    }

    @Test func `a part that another process writes is left alone`() async throws {
        let world = TestWorld()
        try world.leavePart(
            generated(3).prefix(400), as: "1000", of: "/bytes/1000?seed=3", validator: "\"g3-1000\""
        )
        let descriptor = open(world.directory + "/1000.part", O_RDONLY)
        defer { close(descriptor) }
        try #require(flock(descriptor, LOCK_EX) == 0)
        let result = try #require(await world.fetch("/bytes/1000?seed=3").first)
        #expect(result.error?.contains("Another eras is writing it") == true)
        #expect(world.names == ["1000.part", "1000.part.json"])
        #expect(world.contents("1000.part")?.count == 400)
    }

    // MARK: Files that are there

    @Test func `a finished file is kept and not requested`() async throws {
        let world = TestWorld()
        _ = await world.fetch("/bytes/100")
        world.server.resetLog()
        let result = try #require(await world.fetch("/bytes/100").first)
        #expect(result.isKept && result.error == nil)
        #expect(result.bytes == 100 && result.resumedFrom == 100)
        #expect(result.sha256 == (try hash(generated(1, 100))))
        #expect(result.wireMilliseconds == 0 && result.thread == nil)
        #expect(world.server.requests.isEmpty)
    }

    @Test func `force fetches a finished file and a part anew`() async throws {
        let world = TestWorld()
        try world.leavePart(
            generated(3).prefix(400), as: "1000", of: "/bytes/1000?seed=3", validator: "\"g3-1000\""
        )
        try Data("old".utf8).write(to: URL(fileURLWithPath: world.directory + "/1000"))
        var settings = Fetcher.Settings.quick
        settings.isForced = true
        let result = try #require(await world.fetch("/bytes/1000?seed=3", settings: settings).first)
        #expect(result.resumedFrom == 0)
        #expect(world.contents("1000") == generated(3))
        #expect(world.ranges == ["-"])
        #expect(world.names == ["1000"])
    }

    // MARK: Retries

    @Test func `a file that fails on the way is tried again`() async throws {
        let world = TestWorld()
        let result = try #require(await world.fetch("/flaky?fail=2").first)
        #expect(result.error == nil)
        #expect(world.contents("flaky") == Data("ok".utf8))
        #expect(world.server.requests.count == 3)
    }

    @Test func `retries come to an end`() async throws {
        let world = TestWorld()
        let result = try #require(await world.fetch("/flaky?fail=3").first)
        #expect(result.error != nil)
        #expect(world.server.requests.count == 3)
        #expect(world.names == [])
    }

    @Test func `what cannot pass is not tried again`() async throws {
        let world = TestWorld()
        _ = await world.fetch("/status/404")
        #expect(world.server.requests.count == 1)
    }

    @Test func `each retry asks only for what is missing`() async throws {
        let world = TestWorld()
        let settings = Fetcher.Settings(retries: 3, retryDelay: 0.001)
        let result = try #require(
            await world.fetch("/cut?after=300&of=1000&seed=6", settings: settings).first)
        #expect(result.error == nil)
        #expect(result.sha256 == (try hash(generated(6))))
        #expect(result.received == 1_000)
        #expect(world.ranges == ["-", "bytes=300-", "bytes=600-", "bytes=900-"])
        #expect(world.names == ["cut"])
    }

    @Test func `pauses before retries go by the clock of the settings`() async throws {
        let world = TestWorld()
        let clock = TurnableClock()
        var settings = Fetcher.Settings()
        settings.setup.configuration.clock = clock.clock
        let count = Latest(0)
        world.server.add("/busy") { _ in
            count.change { $0 += 1 } <= 2
                ? .text("later", status: 503, headers: [("Retry-After", "100")]) : .text("now")
        }
        let items = DownloadItem.list(
            [world.address("/busy")], directory: world.directory)
        let results = await withCheckedContinuation { continuation in
            Fetcher(items, settings: settings) { _, retry in
                #expect(retry.pause >= 100)
                clock.turn(by: retry.pause)
            } completed: {
                continuation.resume(returning: $0)
            }.start()
        }
        #expect(results.map { $0.error == nil } == [true])
        #expect(world.server.requests.count == 3)
    }

    @Test func `a file that waits for its retry can be cancelled`() async throws {
        let world = TestWorld()
        let server = world.server
        server.add("/busy") { _ in
            .text("later", status: 503, headers: [("Retry-After", "100")])
        }
        let reported = Latest(false)
        let items = DownloadItem.list(
            [server.url("/busy").absoluteString], directory: world.directory)
        let results = await withCheckedContinuation { continuation in
            let fetcher = Fetcher(items, settings: Fetcher.Settings(retries: 1)) { _, _ in
                reported.change { $0 = true }
            } completed: {
                continuation.resume(returning: $0)
            }
            fetcher.start()
            Task {
                while !reported.value { await Task.yield() }
                fetcher.cancel()
            }
        }
        #expect(results.map(\.isInterrupted) == [true])
        #expect(server.requests.count == 1)
    }
}
