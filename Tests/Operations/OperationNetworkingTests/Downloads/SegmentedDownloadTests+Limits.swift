import CurlConnection
import HTTPSemantics
import Synchronization
import TestSupport

@testable import OperationNetworking

// How many connections there may be, and who need not ask.

extension SegmentedDownloadTests {
    @Test func `further connections go by the manager's limit for an origin`() async throws {
        let world = TestWorld()
        addHeld(world)
        let manager = OperationManager()
        manager.maximumOperationsPerOrigin = 2
        let options = options()
        async let result = manager.download(
            world.request("/held"), to: world.file("a"), options: options)
        #expect(whole(world, inFlight: 2))
        world.server.release("body")
        _ = try await result
        #expect(world.contents("a") == generated(3, Self.length))
        #expect(world.server.statistics.peakInFlight == 2)
    }

    @Test func `where there is one connection to a host, one request brings the file`()
        async throws
    {
        let world = TestWorld()
        addHeld(world)
        let (download, results) = self.download(world, "/held") {
            $0.configuration.httpMaximumConnectionsPerHost = 1
        }
        download.start()
        // The three others have begun, and wait for its connection.
        #expect(await waitsForConnections(download, 3))
        world.server.release("body")
        #expect(await results.reaches(1))
        let file = try #require(results.all.first).get()
        #expect(file.receivedLength == Self.length && world.ranges == ["-"])
        #expect(world.contents("a") == generated(3, Self.length))
    }

    @Test func `nothing is asked for that has come and is on its way to the disk`() async throws {
        let world = TestWorld()
        world.server.add("/soon") { request in
            ScriptedResponse.generatedFile(seed: 3, length: 50_000, request: request)
                .after(.wait(gate: "head"))
        }
        let (download, results) = self.download(world, "/soon")
        download.start()
        #expect(await world.server.reaches("head"))
        // The head is read when all bytes have come.
        download.disk.suspend()
        world.server.release("head")
        #expect(await has(download, received: 50_000))
        download.disk.resume()
        #expect(await results.reaches(1))
        #expect(world.contents("a") == generated(3, 50_000) && world.ranges == ["-"])
    }

    @Test func `only the segments that have not come are asked for`() async throws {
        let world = TestWorld()
        world.server.add("/half") { request in
            let whole = ScriptedResponse.generatedFile(seed: 3, length: 100_000, request: request)
            guard request.headers["Range"] == nil else {
                return ScriptedResponse(
                    whole.steps.dropLast() + [.wait(gate: "rest")] + whole.steps.suffix(1))
            }
            return ScriptedResponse(
                [.wait(gate: "head")] + whole.steps.dropLast() + [
                    .generated(seed: 3, range: 0..<30_000), .wait(gate: "rest"),
                    .generated(seed: 3, range: 30_000..<100_000),
                ])
        }
        let (download, results) = self.download(world, "/half")
        download.start()
        #expect(await world.server.reaches("head"))
        download.disk.suspend()
        world.server.release("head")
        #expect(await has(download, received: 30_000))
        download.disk.resume()
        #expect(await world.server.reaches("rest", count: 3))
        // Of four pieces the second has begun to come.
        #expect(Set(world.ranges) == ["-", "bytes=50000-74999", "bytes=75000-"])
        world.server.release("rest")
        #expect(await results.reaches(1))
        #expect(world.contents("a") == generated(3, 100_000))
    }

    private func download(
        _ world: TestWorld, _ path: String,
        _ prepare: @escaping @Sendable (URLConnectionOperation) -> Void = { _ in }
    ) -> (FileDownloadOperation, Log<Result<DownloadedFile, any Error>>) {
        let download = FileDownloadOperation(
            world.request(path), to: world.file("a"), options: options(), prepare: prepare)
        let results = Log<Result<DownloadedFile, any Error>>()
        download.completionQueue = DispatchQueue(label: "callbacks")
        download.setResultBlock { results.add($0) }
        return (download, results)
    }

    private func has(_ download: FileDownloadOperation, received count: Int64) async -> Bool {
        await waitUntil { download.progress.received == count }
    }

    /// Waits until so many connections of a download wait for a place.
    private func waitsForConnections(_ download: FileDownloadOperation, _ count: Int) async -> Bool
    {
        await waitUntil {
            let waits = download.state.withLock { $0.transfers }.map {
                Waiting.wait(of: $0.waiting.load(ordering: .relaxed))
            }
            return waits.count { $0 == .connection } == count
        }
    }

    @Test
    func `downloads that are held back are in the queue, and start when they may or are cancelled`()
        async throws
    {
        let world = TestWorld()
        let manager = OperationManager()
        let callbacks = DispatchQueue(label: "callbacks")
        manager.setSuspended(true, group: "files")
        let ends = Log<Int>()
        let all = (0..<1_000).map { number in
            let download = manager.fileDownloadOperation(
                world.request("/bytes/1000?seed=3"), to: world.file("\(number)"), options: .once)
            download.completionQueue = callbacks
            download.setResultBlock { _ in ends.add(number) }
            return download
        }
        for download in all { manager.enqueue(download, group: "files") }
        #expect(manager.operationQueue.operationCount == 1_000)
        #expect(manager.operations.map(ObjectIdentifier.init) == all.map(ObjectIdentifier.init))
        all[7].cancel()
        #expect(await ends.reaches(1))
        manager.setSuspended(false, group: "files")
        #expect(await ends.reaches(1_000))
        #expect(ends.all.first == 7 && world.names.count == 999)
    }

    @Test func `a download that waits for its next try lets others have its place`() async throws {
        let world = TestWorld()
        world.server.add("/busy") { _ in
            .text("later", status: 503, headers: [("Retry-After", "100")])
        }
        let manager = OperationManager()
        manager.setMaxConcurrentOperationCount(1, ofGroup: "files")
        let waits = Signal()
        var options = DownloadOptions.tries(2)
        options.retryPolicy?.delay = 0
        let first = manager.fileDownloadOperation(
            world.request("/busy"), to: world.file("a"), options: options)
        first.completionQueue = DispatchQueue(label: "callbacks")
        first.setRetryBlock { _, _ in waits.fire() }
        let second = manager.fileDownloadOperation(
            world.request("/bytes/1000?seed=3"), to: world.file("b"), options: .once)
        let done = Signal()
        second.completionQueue = first.completionQueue
        second.setResultBlock { _ in done.fire() }
        manager.enqueue(first, group: "files")
        await waits.wait()
        manager.enqueue(second, group: "files")
        await done.wait()
        #expect(world.contents("b") == generated(3) && first.isExecuting)
        first.cancel()
    }
}
