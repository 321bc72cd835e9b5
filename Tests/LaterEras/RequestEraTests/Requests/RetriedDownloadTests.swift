import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("Downloads that are tried again", .timeLimit(.minutes(2)))
struct RetriedDownloadTests {
    private let world: TestWorld
    private let scratch: TemporaryFolder
    private static let size: Int64 = 3_000

    init() throws {
        world = TestWorld.requests()
        scratch = TemporaryFolder()
        // Each answer brings a thousand bytes more and breaks, until there are no more.
        world.server.add("/film") { request in
            let start = request.headers["Range"].flatMap {
                Int64($0.dropFirst("bytes=".count).dropLast())
            }
            var fields = [("ETag", "\"v\""), ("Content-Length", "\(Self.size - (start ?? 0))")]
            if let start {
                fields.append(("Content-Range", "bytes \(start)-\(Self.size - 1)/\(Self.size)"))
            }
            let (first, last) = (start ?? 0, (start ?? 0) + 1_000)
            return ScriptedResponse(
                [
                    .bytes(ScriptedResponse.head(start == nil ? 200 : 206, fields)),
                    .generated(seed: 1, range: first..<last),
                ] + (last < Self.size ? [.close] : []))
        }
    }

    private var ranges: [String?] { world.server.requests.map { $0.headers["Range"] } }

    private func isWhole(_ name: String) -> Bool {
        (try? Data(contentsOf: scratch.file(name)))
            == GeneratedBytes.bytes(seed: 1, range: 0..<Self.size)
    }

    private func download(_ resumeData: Data? = nil) -> DownloadRequest {
        let destination: DownloadRequest.DownloadFileDestination = { [scratch] _, _ in
            (scratch.file("film"), [])
        }
        guard let resumeData else {
            return world.manager.download(world.address("/film"), to: destination)
        }
        return world.manager.download(resumingWith: resumeData, to: destination)
    }

    /// Where the part lies that resume data names.
    private func part(_ resumeData: Data) throws -> String {
        let facts = try JSONSerialization.jsonObject(with: resumeData) as? [String: Any]
        return FileManager.default.temporaryDirectory
            .appendingPathComponent(try #require(facts?["file"] as? String)).path
    }

    @Test(arguments: [false, true])
    func `a download that begins again leaves nothing of the attempt before`(
        _ adapterThrows: Bool
    ) async throws {
        let parts = Log<Data>()
        world.manager.retrier = Retrier { [world] request, _, completion in
            if request.retryCount == 0, let data = (request as? DownloadRequest)?.resumeData {
                parts.add(data)
            }
            if adapterThrows {
                world.manager.adapter = Adapter { _ in throw PlainError(tag: "no") }
            }
            completion(request.retryCount == 0, 0)
        }
        let response = await download().ended()
        let old = try #require(parts.all.first)
        #expect(!FileManager.default.fileExists(atPath: try part(old)))
        #expect(response.resumeData != old && (response.error is PlainError) == adapterThrows)
        #expect(ranges == (adapterThrows ? [nil] : [nil, nil]))
        if let last = response.resumeData { try FileManager.default.removeItem(atPath: part(last)) }
    }

    @Test func `one that went on with resume data goes on with what came since`() async throws {
        let resumeData = try #require(await download().ended().resumeData)
        world.manager.retrier = Retrier.upTo(1)
        let response = await download(resumeData).ended()
        #expect(response.error == nil && isWhole("film"))
        #expect(ranges == [nil, "bytes=1000-", "bytes=2000-"])
    }

    @Test func `one that went on and has nothing to go on with begins again`() async throws {
        let resumeData = try #require(await download().ended().resumeData)
        world.server.add("/film") { _ in .text("all of it") }
        world.manager.retrier = Retrier.upTo(1)
        let isFirst = Locked(true)
        let response = await download(resumeData).validate { _, _, _, _ in
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return isFirst ? .failure(PlainError(tag: "no")) : .success
        }.ended()
        #expect(response.error == nil && scratch.text("film") == "all of it")
        #expect(ranges == [nil, "bytes=1000-", nil])
    }

    @Test func `a refusal of the rest is told with resume data, and the part is kept`() async throws
    {
        let resumeData = try #require(await download().ended().resumeData)
        world.server.add("/film") { _ in .status(503) }
        let refused = await download(resumeData).ended()
        guard case .cannotContinueDownload? = refused.error as? SessionError else {
            Issue.record("\(String(describing: refused.error))")
            return
        }
        let kept = try #require(refused.resumeData)
        #expect(ranges == [nil, "bytes=1000-"])
        #expect(FileManager.default.fileExists(atPath: try part(kept)))
        try FileManager.default.removeItem(atPath: part(kept))
    }

    @Test func `cancel in the wait for a retry, or after the end, keeps the resume data`()
        async throws
    {
        let asked = Signal()
        world.manager.retrier = Retrier { _, _, completion in
            completion(true, 3_600)
            asked.fire()
        }
        let request = download()
        await asked.wait()
        let before = try #require(request.resumeData)
        request.cancel()
        let response = await request.ended()
        #expect(response.error?.code == URLError.Code.cancelled.rawValue)
        #expect(response.resumeData == before)
        request.cancel()
        // What that might tell goes over the delegate queue.
        _ = await world.get("/ok").ended()
        #expect(request.resumeData == before)
        world.manager.retrier = Retrier.upTo(2)
        #expect(await download(before).ended().error == nil && isWhole("film"))
    }
}
