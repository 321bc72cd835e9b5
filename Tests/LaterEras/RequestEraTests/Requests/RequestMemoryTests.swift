import CurlConnection
import HTTPSemantics
import OperationNetworking
import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("Limits of a body, requests", .timeLimit(.minutes(2)))
struct RequestMemoryTests {
    private func world(limit: Int64) throws
        -> TestWorld
    {
        let world = TestWorld.requests()
        var configuration = URLConnectionConfiguration()
        configuration.responseCache = nil
        configuration.limits.bodyInMemory = limit
        world.manager.connectionConfiguration = configuration
        world.server.add("/echo") { .data($0.body) }
        world.server.add("/endless") { _ in .endless }
        return world
    }

    private func limit(_ error: (any Error)?) -> LoadLimitError? {
        #expect((error as? URLError)?.code == .dataLengthExceedsMaximum)
        return (error as? URLError)?.underlyingError as? LoadLimitError
    }

    @Test func `one byte more than may be kept in memory is the error that operations have`()
        async throws
    {
        let world = try world(limit: 11)
        #expect(await world.get("/ok").string().value == "hello world")
        let less = try self.world(limit: 10)
        let response = await less.get("/ok").data()
        #expect(limit(response.error)?.limit == .bodyInMemory)
        #expect(limit(response.error)?.value == 10)
        let upload = less.manager.upload(Data(count: 11), to: less.address("/echo"))
        #expect(limit(await upload.ended().error)?.limit == .bodyInMemory)
        await #expect(throws: URLError.self) {
            try await less.get("/ok").serializingString().value
        }
    }

    @Test func `a body without an end fails at the limit, and its connection is closed`()
        async throws
    {
        let world = try world(limit: 1 << 20)
        #expect(limit(await world.get("/endless").ended().error)?.value == 1 << 20)
        #expect(await world.server.sees { seen, _ in seen.connectionsOpen == 0 })
    }

    @Test func `what goes to a closure, a reader or a file has no limit`() async throws {
        let world = try world(limit: 10)
        let seen = Log<Int>()
        world.manager.startRequestsImmediately = false
        let streamed = world.get("/ok").stream { seen.add($0.count) }
        streamed.resume()
        #expect(await streamed.ended().error == nil)
        #expect(seen.all.reduce(0, +) == 11)
        let (bytes, _) = try await world.get("/ok").bytes()
        var count = 0
        for try await chunk in bytes.chunks { count += chunk.count }
        #expect(count == 11)
        world.manager.startRequestsImmediately = true
        let scratch = TemporaryFolder()
        let place = scratch.file("f")
        let file = await world.manager.download(world.address("/ok")) { _, _ in (place, []) }
            .ended()
        #expect(file.error == nil && scratch.text("f") == "hello world")
    }

    @Test func `a file is read into memory only within the limit`() async throws {
        let world = try world(limit: 11)
        #expect(
            try await world.manager.download(world.address("/ok")).serializingString().value
                == "hello world")
        let less = try self.world(limit: 10)
        let scratch = TemporaryFolder()
        let (place, link) = (scratch.file("f"), scratch.file("link"))
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: place)
        let request = less.manager.download(less.address("/ok")) { _, _ in (place, []) }
        #expect(limit(await request.serializingData().response.error)?.value == 10)
        #expect(limit(await request.serializingString().response.error)?.value == 10)
        await #expect(throws: URLError.self) {
            try await request.serializingDecodable(String.self).value
        }
        #expect(scratch.text("f") == "hello world")
        let own = DownloadResponseSerializer { _, _, _, error in
            DownloadRequest.stringResponseSerializer().serializeResponse(nil, nil, link, error)
        }
        #expect(limit(await request.serializingDownload(using: own).response.error)?.value == 10)
        // A file that nothing is read of has no limit, nor has a serializer without a request.
        #expect(try await request.serializingDownloadedFileURL().value == place)
        let alone = DownloadRequest.stringResponseSerializer()
        #expect(alone.serializeResponse(nil, nil, place, nil).value == "hello world")
    }

    @Test func `a well-compressed file is downloaded, and refused where it is kept in memory`()
        async throws
    {
        let world = TestWorld.requests()
        world.server.add("/zeros") { _ in
            .data(Compressed.bomb, headers: [("Content-Encoding", "gzip")])
        }
        let scratch = TemporaryFolder()
        let place = scratch.file("f")
        let file = await world.manager.download(world.address("/zeros")) { _, _ in (place, []) }
            .ended()
        #expect(file.error == nil)
        #expect(try Data(contentsOf: place).count == Compressed.bombCount)
        let kept = await world.get("/zeros").ended()
        #expect(limit(kept.error)?.limit == .decompressionRatio)
    }
}
