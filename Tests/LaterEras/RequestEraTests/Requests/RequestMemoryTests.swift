import CurlConnection
import HTTPSemantics
import OperationNetworking
import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("Limits of a body, requests", .timeLimit(.minutes(2)))
struct RequestMemoryTests {
    private func room(_ transport: SessionTransport = .connection, limit: Int64) throws -> EraRoom {
        let room = try EraRoom(transport)
        var configuration = URLConnectionConfiguration()
        configuration.responseCache = nil
        configuration.limits.bodyInMemory = limit
        room.manager.connectionConfiguration = configuration
        room.server.add("/echo") { .data($0.body) }
        room.server.add("/endless") { _ in
            ScriptedResponse([
                .bytes(ScriptedResponse.head(200, [("Transfer-Encoding", "chunked")])),
                .bytes(ScriptedResponse.chunk(Data(count: 100_000))),
            ]).then(.bytes(Data("10000000000\r\n".utf8)), .generated(seed: 1, range: 0..<(1 << 40)))
        }
        return room
    }

    private func limit(_ error: (any Error)?) -> LoadLimitError? {
        #expect((error as? URLError)?.code == .dataLengthExceedsMaximum)
        return (error as? URLError)?.underlyingError as? LoadLimitError
    }

    @Test(arguments: transports)
    func `one byte more than may be kept in memory is the error that operations have`(
        _ transport: SessionTransport
    ) async throws {
        let room = try room(transport, limit: 11)
        #expect(await room.request("/ok").string().value == "hello world")
        let less = try self.room(transport, limit: 10)
        let response = await less.request("/ok").data()
        #expect(limit(response.error)?.limit == .bodyInMemory)
        #expect(limit(response.error)?.value == 10)
        let upload = less.manager.upload(Data(count: 11), to: less.url("/echo"))
        #expect(limit(await upload.ended().error)?.limit == .bodyInMemory)
        await #expect(throws: URLError.self) {
            try await less.request("/ok").serializingString().value
        }
    }

    @Test func `a body without an end fails at the limit, and its connection is closed`()
        async throws
    {
        let room = try room(limit: 1 << 20)
        #expect(limit(await room.request("/endless").ended().error)?.value == 1 << 20)
        #expect(await room.server.sees { seen, _ in seen.connectionsOpen == 0 })
    }

    @Test func `what goes to a closure, a reader or a file has no limit`() async throws {
        let room = try room(limit: 10)
        let seen = Log<Int>()
        room.manager.startRequestsImmediately = false
        let streamed = room.request("/ok").stream { seen.add($0.count) }
        streamed.resume()
        #expect(await streamed.ended().error == nil)
        #expect(seen.all.reduce(0, +) == 11)
        let (bytes, _) = try await room.request("/ok").bytes()
        var count = 0
        for try await chunk in bytes.chunks { count += chunk.count }
        #expect(count == 11)
        room.manager.startRequestsImmediately = true
        let scratch = try Scratch()
        let place = scratch.file("f")
        let file = await room.manager.download(room.url("/ok")) { _, _ in (place, []) }.ended()
        #expect(file.error == nil && scratch.text(of: "f") == "hello world")
    }

    @Test(arguments: transports)
    func `a file is read into memory only within the limit`(
        _ transport: SessionTransport
    ) async throws {
        let room = try room(transport, limit: 11)
        #expect(
            try await room.manager.download(room.url("/ok")).serializingString().value
                == "hello world")
        let less = try self.room(transport, limit: 10)
        let scratch = try Scratch()
        let (place, link) = (scratch.file("f"), scratch.file("link"))
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: place)
        let request = less.manager.download(less.url("/ok")) { _, _ in (place, []) }
        #expect(limit(await request.serializingData().response.error)?.value == 10)
        #expect(limit(await request.serializingString().response.error)?.value == 10)
        await #expect(throws: URLError.self) {
            try await request.serializingDecodable(String.self).value
        }
        #expect(scratch.text(of: "f") == "hello world")
        let own = DownloadResponseSerializer { _, _, _, error in
            DownloadRequest.stringResponseSerializer().serializeResponse(nil, nil, link, error)
        }
        #expect(limit(await request.serializingDownload(using: own).response.error)?.value == 10)
        // A file that nothing is read of has no limit, nor has a serializer without a request.
        #expect(try await request.serializingDownloadedFileURL().value == place)
        let alone = DownloadRequest.stringResponseSerializer()
        #expect(alone.serializeResponse(nil, nil, place, nil).value == "hello world")
    }

    /// 2,097,152 zero bytes in 2,067, gzip encoded.
    private static let bomb =
        Data([
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xED, 0xC1, 0x31, 1, 0, 0, 0, 0xC2, 0xA0, 0xF5,
            0x4F, 0x6D, 0x0C, 0x1F, 0xA0,
        ]) + Data(count: 2_032)
        + Data([0xBE, 0x06, 0x7E, 0x87, 0x89, 0x8D, 0, 0, 0x20, 0])

    @Test func `a well-compressed file is downloaded, and refused where it is kept in memory`()
        async throws
    {
        let room = try EraRoom()
        room.server.add("/zeros") { _ in
            .data(Self.bomb, headers: [("Content-Encoding", "gzip")])
        }
        let scratch = try Scratch()
        let place = scratch.file("f")
        let file = await room.manager.download(room.url("/zeros")) { _, _ in (place, []) }.ended()
        #expect(file.error == nil)
        #expect(try Data(contentsOf: place).count == 2_097_152)
        let kept = await room.request("/zeros").ended()
        #expect(limit(kept.error)?.limit == .decompressionRatio)
    }
}
