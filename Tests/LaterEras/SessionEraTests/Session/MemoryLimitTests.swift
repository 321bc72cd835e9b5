import CurlConnection
import HTTPSemantics
import OperationNetworking
import SessionEra
import TestSupport

@Suite("Limits of a body, sessions", .timeLimit(.minutes(2)))
struct MemoryLimitTests {
    private let world = TestWorld.sessions()

    init() {
        world.server.add("/zeros") { _ in
            .data(Compressed.bomb, headers: [("Content-Encoding", "gzip")])
        }
        world.server.add("/endless") { _ in .endless }
    }

    private func set(limit: Int64) {
        var configuration = URLConnectionConfiguration()
        configuration.responseCache = nil
        configuration.limits.bodyInMemory = limit
        world.manager.connectionConfiguration = configuration
    }

    private func limit(_ outcome: Outcome) -> LoadLimitError? {
        #expect((outcome.error as? URLError)?.code == .dataLengthExceedsMaximum)
        return (outcome.error as? URLError)?.underlyingError as? LoadLimitError
    }

    @Test func `one byte more than may be kept in memory is the error that operations have`() async
    {
        set(limit: 11)
        #expect(await world.data("/ok").text == "hello world")
        set(limit: 10)
        let outcome = await world.data("/ok")
        #expect(limit(outcome)?.limit == .bodyInMemory && limit(outcome)?.value == 10)
        let upload = await world.outcome {
            self.world.manager.uploadTask(
                with: self.world.request("/ok", "POST"), from: Data(count: 3),
                completionHandler: $0)
        }
        #expect(limit(upload)?.limit == .bodyInMemory)
    }

    @Test func `a body without an end fails at the limit, and its connection is closed`() async {
        set(limit: 1 << 20)
        #expect(limit(await world.data("/endless"))?.value == 1 << 20)
        #expect(await world.server.sees { seen, _ in seen.connectionsOpen == 0 })
    }

    @Test func `what goes to a reader or a file has no limit`() async throws {
        set(limit: 10)
        let (bytes, _) = try await world.manager.bytes(for: world.request("/ok"))
        var count = 0
        for try await chunk in bytes.chunks { count += chunk.count }
        #expect(count == 11)
        let place = world.file("place")
        #expect(await world.download("/ok", to: place).error == nil)
    }

    @Test func `a well-compressed file is downloaded, and refused where it is kept in memory`()
        async throws
    {
        let place = world.file("place")
        #expect(await world.download("/zeros", to: place).error == nil)
        #expect(try Data(contentsOf: place).count == Compressed.bombCount)
        #expect(limit(await world.data("/zeros"))?.limit == .decompressionRatio)
    }

    @Test func `one that becomes a download at its response is downloaded too`() async throws {
        let disposition = try #require(URLSession.ResponseDisposition(rawValue: 2))
        let place = world.file("place")
        world.manager.setDataTaskDidReceiveResponseBlock { _, _, _ in disposition }
        world.manager.setDownloadTaskDidFinishDownloadingBlock { _, _, _ in place }
        #expect(await world.data("/zeros").error == nil)
        #expect(try Data(contentsOf: place).count == Compressed.bombCount)
    }
}
