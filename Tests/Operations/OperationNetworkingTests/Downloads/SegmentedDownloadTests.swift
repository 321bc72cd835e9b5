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
    func addHeld(_ room: DownloadRoom) {
        room.server.hold("body")
        room.server.add("/held") { request in
            let whole = ScriptedResponse.generatedFile(
                seed: 3, length: Self.length, request: request)
            return ScriptedResponse(
                whole.steps.dropLast() + [.wait(gate: "body")] + whole.steps.suffix(1))
        }
    }

    func whole(_ room: DownloadRoom, inFlight count: Int) -> Bool {
        room.server.waitUntil(timeout: patience) { statistics, _ in statistics.inFlight == count }
    }

    // MARK: At once

    @Test func `the parts of a file come at once, each a range of the same file`() async throws {
        let room = try DownloadRoom()
        addHeld(room)
        async let result = room.download("/held", as: "a", options())
        #expect(whole(room, inFlight: 4))
        room.server.release("body")
        let file = try await result
        #expect(room.contents("a") == generated(3, Self.length))
        #expect(file.sha256 == (try hash(generated(3, Self.length))) && room.names == ["a"])
        #expect(
            Set(room.ranges.prefix(4)) == [
                "-", "bytes=250000-499999", "bytes=500000-749999", "bytes=750000-",
            ])
        let tags = room.server.requests.dropFirst().map { $0.headers["If-Range"] }
        #expect(tags.allSatisfy { $0 == "\"g3-1000000\"" })
    }

    @Test func `a connection that is done takes half of what another misses`() async throws {
        let room = try DownloadRoom()
        room.server.hold("first")
        room.server.hold("slow")
        room.server.add("/steal") { request in
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
        async let result = room.download("/steal", as: "a", options(2))
        // The file is divided before a byte of it is there.
        #expect(
            room.server.waitUntil(timeout: patience) { statistics, _ in statistics.requests >= 2 })
        room.server.release("first")
        // The first half is there, then the last quarter, …
        #expect(
            room.server.waitUntil(timeout: patience) { statistics, _ in statistics.requests >= 4 })
        room.server.release("slow")
        _ = try await result
        #expect(room.contents("a") == generated(3, Self.length))
        #expect(room.ranges.contains { $0.hasPrefix("bytes=7") })
    }

    @Test func `a file that is short, or is not said to come in ranges, comes in one go`()
        async throws
    {
        let room = try DownloadRoom()
        let bodies: [(String, [(String, String)])] = [
            ("/none", [("ETag", "\"1\"")]),
            ("/weak", [("ETag", "W/\"1\""), ("Accept-Ranges", "bytes")]),
            ("/date", [("Last-Modified", ScriptedResponse.fileDate), ("Accept-Ranges", "bytes")]),
            ("/no", [("ETag", "\"1\""), ("Accept-Ranges", "none")]),
        ]
        for (path, headers) in bodies {
            room.server.add(path) { _ in .data(generated(3, 100_000), headers: headers) }
            _ = try await room.download(path, as: "a\(path.dropFirst())", options())
            #expect(room.contents("a\(path.dropFirst())") == generated(3, 100_000))
        }
        _ = try await room.download("/bytes/1999?seed=3", as: "short", options())
        _ = try await room.download("/no-length?size=100000", as: "unknown", options())
        #expect(room.ranges == Array(repeating: "-", count: 6))
    }

    @Test func `the first is watched for a moment, and gets help where it is slow`() async throws {
        let room = try DownloadRoom()
        addHeld(room)
        let clock = TurnableClock()
        var options = options()
        options.watchTime = 0.25
        let download = FileDownloadOperation(
            room.request("/held"), to: room.file("a"), options: options
        ) { $0.configuration.clock = clock.clock }
        let heads = Signal()
        download.completionQueue = DispatchQueue(label: "callbacks")
        download.setProgressBlock { if $0.total != nil { heads.fire() } }
        let results = Log<Result<DownloadedFile, any Error>>()
        download.setResultBlock { results.add($0) }
        download.start()
        await heads.wait()
        #expect(room.server.requests.count == 1)
        // The alarm is set behind the news of the head, on the same queue.
        download.disk.sync {}
        clock.turn(by: 0.25)
        #expect(whole(room, inFlight: 4))
        room.server.release("body")
        #expect(await results.reaches(1))
        #expect(room.contents("a") == generated(3, Self.length))
    }

    @Test func `the first is left alone where it is fast`() async throws {
        let room = try DownloadRoom()
        let clock = TurnableClock()
        var options = options()
        options.watchTime = 0.25
        room.server.hold("last")
        room.server.add("/fast") { request in
            let whole = ScriptedResponse.generatedFile(
                seed: 3, length: Self.length, request: request)
            return ScriptedResponse(
                whole.steps.dropLast() + [
                    .generated(seed: 3, range: 0..<900_000), .wait(gate: "last"),
                    .generated(seed: 3, range: 900_000..<Self.length),
                ])
        }
        let download = FileDownloadOperation(
            room.request("/fast"), to: room.file("a"), options: options
        ) { $0.configuration.clock = clock.clock }
        let results = Log<Result<DownloadedFile, any Error>>()
        download.completionQueue = DispatchQueue(label: "callbacks")
        download.setResultBlock { results.add($0) }
        download.start()
        while download.progress.stored < 900_000 { await Task.yield() }
        clock.turn(by: 0.25)
        download.disk.sync {}
        room.server.release("last")
        #expect(await results.reaches(1))
        #expect(room.contents("a") == generated(3, Self.length) && room.ranges == ["-"])
    }

    // MARK: Going on

    /// A part with two ranges, as a killed process would have left it.
    private func leave(_ room: DownloadRoom, wrong: Int? = nil) throws {
        let bytes = generated(3, Self.length)
        var part = Data(count: Int(Self.length))
        for range in [0..<100_000, 250_000..<400_000, 750_000..<760_000] {
            part.replaceSubrange(range, with: bytes[range])
        }
        if let wrong { part[wrong] ^= 1 }
        let place = DownloadPlace(path: room.file("a").path)
        try part.write(to: URL(fileURLWithPath: place.part))
        var record = DownloadRecord(
            address: room.server.url("/bytes/1000000?seed=3").absoluteString,
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
        let room = try DownloadRoom()
        try leave(room)
        let file = try await room.download("/bytes/1000000?seed=3", as: "a", options(segments))
        #expect(room.contents("a") == generated(3, Self.length))
        #expect(file.resumedFrom == 260_000)
        #expect(file.sha256 == (try hash(generated(3, Self.length))))
        if segments == 1 {
            #expect(file.receivedLength == 740_000)
            #expect(
                room.ranges == ["bytes=100000-249999", "bytes=400000-749999", "bytes=760000-"])
        }
    }

    @Test func `a range that is not what its record says is asked for again`() async throws {
        let room = try DownloadRoom()
        try leave(room, wrong: 300_000)
        _ = try await room.download("/bytes/1000000?seed=3", as: "a", options(1))
        #expect(room.contents("a") == generated(3, Self.length))
        #expect(room.ranges == ["bytes=100000-749999", "bytes=760000-"])
    }

    @Test func `a cancel keeps the parts, and their record`() async throws {
        let room = try DownloadRoom()
        room.server.hold("middle")
        room.server.add("/bytes/1000000") { request in
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
            room.request("/bytes/1000000"), to: room.file("a"), options: options)
        let ended = Signal()
        download.completionQueue = DispatchQueue(label: "callbacks")
        download.setResultBlock { _ in ended.fire() }
        download.start()
        while download.progress.stored < 200_000 { await Task.yield() }
        download.cancel()
        await ended.wait()
        let record = try #require(DownloadRecord(of: room.file("a")))
        #expect(record.offset == 50_000)
        #expect(record.ranges?.map(\.start) == [250_000, 500_000, 750_000])
        #expect(record.ranges?.map(\.end) == [300_000, 550_000, 800_000])
        room.server.release("middle")
        let file = try await room.download("/bytes/1000000", as: "a", options)
        #expect(file.resumedFrom == 200_000 && room.contents("a") == generated(3, Self.length))
    }

    @Test func `a first connection that gets more than it asked for is cut at its end`()
        async throws
    {
        let room = try DownloadRoom()
        try leave(room)
        room.server.add("/bytes/1000000") { request in
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
        _ = await room.failure("/bytes/1000000?seed=3", as: "a", options(1))
        let file = try await room.download("/bytes/1000000?seed=3", as: "a", options(1, tries: 4))
        #expect(room.contents("a") == generated(3, Self.length) && file.length == Self.length)
    }

    // MARK: Speed

    /// `SEGMENT_SPEED=1` is for a machine that has nothing else to do.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["SEGMENT_SPEED"] != nil))
    func `four are 3.5 times as fast as one where each is limited, and as fast where none is`()
        async throws
    {
        func seconds(_ path: String, _ segments: Int) async throws -> Double {
            let room = try DownloadRoom()
            var options = DownloadOptions.once
            options.segments = segments
            let start = ContinuousClock.now
            _ = try await room.download(path, as: "a", options)
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
