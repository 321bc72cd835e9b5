import TestSupport

@testable import OperationNetworking

/// `DOWNLOADS=1000` is the long form.
@Suite("Downloads that are cut", .timeLimit(.minutes(10)))
struct CutDownloadTests {
    private static let count =
        ProcessInfo.processInfo.environment["DOWNLOADS"].flatMap { Int($0) } ?? 60

    /// One file of the server's: it may become another, and each connection is cut.
    private struct Source {
        let length: Int64
        let seeds: (first: UInt64, second: UInt64)
        /// Where the first connections are cut, in bytes from their start.
        var cuts: [Int64]
        /// Before which request the file changes; nil: never.
        let change: Int?
        var asked = 0

        /// Of the latest response.
        var sentSeed: UInt64 {
            change.map { asked > $0 } == true ? seeds.second : seeds.first
        }

        var seed: UInt64 { change.map { asked >= $0 } == true ? seeds.second : seeds.first }
    }

    @Test(arguments: [1, 3])
    func `every file is right, for under 1.05 of the bytes where nothing changed`(segments: Int)
        async throws
    {
        let world = TestWorld()
        var numbers = SeededNumbers(seed: 26)
        let sources = (0..<Self.count).map { index in
            let length = Int64.random(in: 1...400_000, using: &numbers)
            let cuts = (0..<Int.random(in: 1...3, using: &numbers)).map { _ in
                Int64.random(in: 0...length, using: &numbers)
            }
            return Watched(
                Source(
                    length: length, seeds: (UInt64(index) + 1, UInt64(index) + 1_000_001),
                    cuts: cuts,
                    change: index % 3 == 0 ? Int.random(in: 1...cuts.count, using: &numbers) : nil))
        }
        for (index, source) in sources.enumerated() { add(source, index, to: world.server) }
        try await withThrowingTaskGroup(of: (Int, Int64).self) { group in
            for index in sources.indices {
                group.addTask {
                    (index, try await Self.fetch(index, sources[index].now, segments, world))
                }
            }
            var (received, wanted) = (Int64(0), Int64(0))
            for try await (index, count) in group {
                let source = sources[index].now
                let bytes = world.contents("\(index)")
                // What the first connection brings may be the old file, all of it, while others are
                // refused.
                let isOld = segments > 1 && bytes == generated(source.seeds.first, source.length)
                #expect(isOld || bytes == generated(source.sentSeed, source.length))
                guard source.change == nil else { continue }
                received += count
                wanted += source.length
            }
            print("downloads: \(segments) segments, \(received) bytes came for \(wanted)")
            #expect(Double(received) < 1.05 * Double(wanted), "\(received) of \(wanted)")
        }
        #expect(world.names.count == Self.count)
    }

    /// A redirect that rotates, and the file behind it.
    private func add(_ source: Watched<Source>, _ index: Int, to server: LoopbackServer) {
        server.add("/first/\(index)") { _ in
            .redirect(to: "/signed/\(index)?token=\(UInt64.random(in: .min ... .max))")
        }
        server.add("/signed/\(index)") { request in
            source.change { source in
                let (seed, length) = (source.seed, source.length)
                source.asked += 1
                let cut = source.cuts.isEmpty ? nil : source.cuts.removeFirst()
                let whole = ScriptedResponse.generatedFile(
                    seed: seed, length: length, request: request)
                guard let cut, case .generated(_, let range)? = whole.steps.last,
                    cut < range.count
                else { return whole }
                let sent = range.lowerBound..<range.lowerBound + cut
                return ScriptedResponse(
                    whole.steps.dropLast() + [.generated(seed: seed, range: sent), .close])
            }
        }
    }

    /// Every second file by one download with tries, every other by many, as after restarts.
    ///
    /// - Returns: the bytes that came.
    private static func fetch(
        _ index: Int, _ source: Source, _ segments: Int, _ world: TestWorld
    ) async throws -> Int64 {
        var received: Int64 = 0
        // One more for a range of another file than the first connection's.
        let tries = source.cuts.count + 2
        var options = index % 2 == 0 ? DownloadOptions.tries(tries) : .once
        options.segments = segments
        options.minimumSegmentLength = 20_000
        options.watchTime = 0
        for _ in 0..<tries {
            let download = OperationManager().fileDownloadOperation(
                world.request("/first/\(index)"), to: world.file("\(index)"),
                options: options)
            let done = Signal()
            download.completionQueue = DispatchQueue(label: "callbacks")
            download.setResultBlock { _ in done.fire() }
            download.start()
            await done.wait()
            received += download.progress.received
            if case .success(let file) = download.result {
                #expect(file.length == source.length)
                return received
            }
        }
        Issue.record("File \(index) did not arrive.")
        return received
    }
}
