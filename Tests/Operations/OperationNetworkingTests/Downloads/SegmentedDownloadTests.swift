import CurlConnection
import HTTPSemantics
import TestSupport

@testable import OperationNetworking

@Suite("Downloads in segments", .timeLimit(.minutes(5)))
struct SegmentedDownloadTests {
    static let length: Int64 = 1_000_000

    /// What a further request gets in place of its range.
    enum Fault: CaseIterable {
        case ignored, anotherFile, another206, noTag, weakTag, overlap, tooEarly, tooShort,
            otherTotal, busy,
            cut, coded, endless
    }

    func options(_ segments: Int = 4, tries: Int = 1) -> DownloadOptions {
        var options = tries == 1 ? DownloadOptions.once : .tries(tries)
        options.segments = segments
        options.minimumSegmentLength = 1_000
        options.watchTime = 0
        return options
    }

    /// A file of which each response waits at the gate before its body.
    func addHeld(_ world: TestWorld) {
        world.server.hold("body")
        world.server.add("/held") { request in
            let whole = ScriptedResponse.generatedFile(
                seed: 3, length: Self.length, request: request)
            return ScriptedResponse(
                whole.steps.dropLast() + [.wait(gate: "body")] + whole.steps.suffix(1))
        }
    }

    func whole(_ world: TestWorld, inFlight count: Int) -> Bool {
        world.server.waitUntil(timeout: patience) { statistics, _ in statistics.inFlight == count }
    }

    // MARK: At once

    @Test func `the parts of a file come at once, each a range of the same file`() async throws {
        let world = TestWorld()
        addHeld(world)
        async let result = world.download("/held", as: "a", options())
        #expect(whole(world, inFlight: 4))
        world.server.release("body")
        let file = try await result
        #expect(world.contents("a") == generated(3, Self.length))
        #expect(file.sha256 == (try hash(generated(3, Self.length))) && world.names == ["a"])
        #expect(
            Set(world.ranges.prefix(4)) == [
                "-", "bytes=250000-499999", "bytes=500000-749999", "bytes=750000-",
            ])
        let tags = world.server.requests.dropFirst().map { $0.headers["If-Range"] }
        #expect(tags.allSatisfy { $0 == "\"g3-1000000\"" })
    }

    @Test func `a connection that is done takes half of what another misses`() async throws {
        let world = TestWorld()
        world.server.hold("first")
        world.server.hold("slow")
        world.server.add("/steal") { request in
            let whole = ScriptedResponse.generatedFile(
                seed: 3, length: Self.length, request: request)
            if request.headers["Range"] == nil {
                return ScriptedResponse(
                    whole.steps.dropLast() + [.wait(gate: "first")] + whole.steps.suffix(1))
            }
            guard request.headers["Range"] == "bytes=500000-" else { return whole }
            return ScriptedResponse(
                whole.steps.dropLast() + [
                    .generated(seed: 3, range: 500_000..<510_000), .wait(gate: "slow"),
                    .generated(seed: 3, range: 510_000..<Self.length),
                ])
        }
        async let result = world.download("/steal", as: "a", options(2))
        // The file is divided before a byte of it is there.
        #expect(
            world.server.waitUntil(timeout: patience) { statistics, _ in statistics.requests >= 2 })
        world.server.release("first")
        // The first half is there, then the last quarter, …
        #expect(
            world.server.waitUntil(timeout: patience) { statistics, _ in statistics.requests >= 4 })
        world.server.release("slow")
        _ = try await result
        #expect(world.contents("a") == generated(3, Self.length))
        #expect(world.ranges.contains { $0.hasPrefix("bytes=7") })
    }

    @Test func `a file that is short, or is not said to come in ranges, comes in one go`()
        async throws
    {
        let world = TestWorld()
        let bodies: [(String, [(String, String)])] = [
            ("/none", [("ETag", "\"1\"")]),
            ("/weak", [("ETag", "W/\"1\""), ("Accept-Ranges", "bytes")]),
            ("/date", [("Last-Modified", ScriptedResponse.fileDate), ("Accept-Ranges", "bytes")]),
            ("/no", [("ETag", "\"1\""), ("Accept-Ranges", "none")]),
        ]
        for (path, headers) in bodies {
            world.server.add(path) { _ in .data(generated(3, 100_000), headers: headers) }
            _ = try await world.download(path, as: "a\(path.dropFirst())", options())
            #expect(world.contents("a\(path.dropFirst())") == generated(3, 100_000))
        }
        _ = try await world.download("/bytes/1999?seed=3", as: "short", options())
        _ = try await world.download("/no-length?size=100000", as: "unknown", options())
        #expect(world.ranges == Array(repeating: "-", count: 6))
    }

    @Test func `the first is watched for a moment, and gets help where it is slow`() async throws {
        let world = TestWorld()
        addHeld(world)
        let clock = TurnableClock()
        var options = options()
        options.watchTime = 0.25
        let download = FileDownloadOperation(
            world.request("/held"), to: world.file("a"), options: options
        ) { $0.configuration.clock = clock.clock }
        let heads = Signal()
        download.completionQueue = DispatchQueue(label: "callbacks")
        download.setProgressBlock { if $0.total != nil { heads.fire() } }
        let results = Log<Result<DownloadedFile, any Error>>()
        download.setResultBlock { results.add($0) }
        download.start()
        await heads.wait()
        #expect(world.server.requests.count == 1)
        // The alarm is set behind the news of the head, on the same queue.
        download.disk.sync {}
        clock.turn(by: 0.25)
        #expect(whole(world, inFlight: 4))
        world.server.release("body")
        #expect(await results.reaches(1))
        #expect(world.contents("a") == generated(3, Self.length))
    }

    @Test func `the first is left alone where it is fast`() async throws {
        let world = TestWorld()
        let clock = TurnableClock()
        var options = options()
        options.watchTime = 0.25
        world.server.hold("last")
        world.server.add("/fast") { request in
            let whole = ScriptedResponse.generatedFile(
                seed: 3, length: Self.length, request: request)
            return ScriptedResponse(
                whole.steps.dropLast() + [
                    .generated(seed: 3, range: 0..<900_000), .wait(gate: "last"),
                    .generated(seed: 3, range: 900_000..<Self.length),
                ])
        }
        let download = FileDownloadOperation(
            world.request("/fast"), to: world.file("a"), options: options
        ) { $0.configuration.clock = clock.clock }
        let results = Log<Result<DownloadedFile, any Error>>()
        download.completionQueue = DispatchQueue(label: "callbacks")
        download.setResultBlock { results.add($0) }
        download.start()
        while download.progress.stored < 900_000 { await Task.yield() }
        clock.turn(by: 0.25)
        download.disk.sync {}
        world.server.release("last")
        #expect(await results.reaches(1))
        #expect(world.contents("a") == generated(3, Self.length) && world.ranges == ["-"])
    }

    // MARK: Going on

    /// A part with two ranges, as a killed process would have left it.
    private func leave(_ world: TestWorld, wrong: Int? = nil) throws {
        let bytes = generated(3, Self.length)
        var part = Data(count: Int(Self.length))
        for range in [0..<100_000, 250_000..<400_000, 750_000..<760_000] {
            part.replaceSubrange(range, with: bytes[range])
        }
        if let wrong { part[wrong] ^= 1 }
        let place = DownloadPlace(path: world.file("a").path)
        try part.write(to: URL(fileURLWithPath: place.part))
        var record = DownloadRecord(
            address: world.address("/bytes/1000000?seed=3"),
            validator: "\"g3-1000000\"", length: Self.length, offset: 100_000,
            sha256: try hash(bytes.prefix(100_000)))
        record.ranges = try [250_000..<400_000, 750_000..<760_000].map {
            DownloadRecord.StoredRange(
                start: Int64($0.lowerBound), end: Int64($0.upperBound), sha256: try hash(bytes[$0]))
        }
        try record.write(place)
    }

    @Test(arguments: [1, 4])
    func `of a part with ranges only what is missing is asked for`(segments: Int) async throws {
        let world = TestWorld()
        try leave(world)
        let file = try await world.download("/bytes/1000000?seed=3", as: "a", options(segments))
        #expect(world.contents("a") == generated(3, Self.length))
        #expect(file.resumedFrom == 260_000)
        #expect(file.sha256 == (try hash(generated(3, Self.length))))
        if segments == 1 {
            #expect(file.receivedLength == 740_000)
            #expect(
                world.ranges == ["bytes=100000-249999", "bytes=400000-749999", "bytes=760000-"])
        }
    }

    @Test func `a range that is not what its record says is asked for again`() async throws {
        let world = TestWorld()
        try leave(world, wrong: 300_000)
        _ = try await world.download("/bytes/1000000?seed=3", as: "a", options(1))
        #expect(world.contents("a") == generated(3, Self.length))
        #expect(world.ranges == ["bytes=100000-749999", "bytes=760000-"])
    }

    @Test func `a cancel keeps the parts, and their record`() async throws {
        let world = TestWorld()
        world.server.hold("middle")
        world.server.add("/bytes/1000000") { request in
            let whole = ScriptedResponse.generatedFile(
                seed: 3, length: Self.length, request: request)
            guard case .generated(_, let range)? = whole.steps.last else { return whole }
            let middle = min(range.lowerBound + 50_000, range.upperBound)
            return ScriptedResponse(
                whole.steps.dropLast() + [
                    .generated(seed: 3, range: range.lowerBound..<middle), .wait(gate: "middle"),
                    .generated(seed: 3, range: middle..<range.upperBound),
                ])
        }
        let options = options()
        let download = OperationManager().fileDownloadOperation(
            world.request("/bytes/1000000"), to: world.file("a"), options: options)
        let ended = Signal()
        download.completionQueue = DispatchQueue(label: "callbacks")
        download.setResultBlock { _ in ended.fire() }
        download.start()
        while download.progress.stored < 200_000 { await Task.yield() }
        download.cancel()
        await ended.wait()
        let record = try #require(DownloadRecord(of: world.file("a")))
        #expect(record.offset == 50_000)
        #expect(record.ranges?.map(\.start) == [250_000, 500_000, 750_000])
        #expect(record.ranges?.map(\.end) == [300_000, 550_000, 800_000])
        world.server.release("middle")
        let file = try await world.download("/bytes/1000000", as: "a", options)
        #expect(file.resumedFrom == 200_000 && world.contents("a") == generated(3, Self.length))
    }

    @Test func `a first connection that gets more than it asked for is cut at its end`()
        async throws
    {
        let world = TestWorld()
        try leave(world)
        world.server.add("/bytes/1000000") { request in
            let range = request.headers["Range"] ?? ""
            let start = Int64(range.dropFirst(6).prefix { $0 != "-" }) ?? 0
            return ScriptedResponse([
                .bytes(
                    ScriptedResponse.head(
                        206,
                        [
                            ("Content-Range", "bytes \(start)-\(Self.length - 1)/\(Self.length)"),
                            ("Content-Length", "\(Self.length - start)"),
                            ("ETag", "\"g3-1000000\""),
                        ])), .generated(seed: 3, range: start..<Self.length),
            ])
        }
        _ = await world.failure("/bytes/1000000?seed=3", as: "a", options(1))
        let file = try await world.download("/bytes/1000000?seed=3", as: "a", options(1, tries: 4))
        #expect(world.contents("a") == generated(3, Self.length) && file.length == Self.length)
    }

    // MARK: Speed

    /// `SEGMENT_SPEED=1` is for a machine that has nothing else to do.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["SEGMENT_SPEED"] != nil))
    func `four are 3.5 times as fast as one where each is limited, and as fast where none is`()
        async throws
    {
        func seconds(_ path: String, _ segments: Int) async throws -> Double {
            let world = TestWorld()
            var options = DownloadOptions.once
            options.segments = segments
            let start = ContinuousClock.now
            _ = try await world.download(path, as: "a", options)
            return (ContinuousClock.now - start) / .seconds(1)
        }
        // Eight seconds by one, of which the first quarter is for watching it.
        let limited = "/rate/80000000?bps=10000000"
        let (one, four) = (try await seconds(limited, 1), try await seconds(limited, 4))
        print("segments: limited to 10 MB/s each: \(one) s by one, \(four) s by four")
        #expect(one / four >= 3.5)
        var times: [[Double]] = [[], []]
        for _ in 0..<7 {
            times[0].append(try await seconds("/bytes/268435456", 1))
            times[1].append(try await seconds("/bytes/268435456", 4))
        }
        let medians = times.map { $0.sorted()[3] }
        print("segments: 256 MiB, not limited: \(medians[0]) s by one, \(medians[1]) s by four")
        #expect(medians[0] / medians[1] >= 0.95)
    }
}
