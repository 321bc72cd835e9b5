import TestSupport

@testable import OperationNetworking

/// How a download goes on after a pause, and that no byte is joined to one of another entity
/// (wounds 8 and 9; OP-32).
@Suite("Going on after a pause", .timeLimit(.minutes(5)))
struct ContinuationTests {
    private static let whole = Data((0..<100).map { UInt8($0) })
    private static let other = Data((0..<100).map { UInt8(200 - $0) })
    private static let path = "/entity"

    private let world = TestWorld()

    /// The first answer: 40 bytes of 100, then the gate; later requests get `later`.
    private func serve(
        _ fields: [(String, String)],
        later: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
    ) {
        let turns = Signal()
        let head = ScriptedResponse.head(200, fields + [("Content-Length", "100")])
        world.server.add(Self.path) { request in
            turns.fire()
            guard turns.count == 1 else { return later(request) }
            return ScriptedResponse([
                .bytes(head), .bytes(Self.whole.prefix(40)), .wait(gate: "part"),
            ])
        }
    }

    private func part(_ range: String, _ body: Data, tag: String = "\"a\"") -> ScriptedResponse {
        .data(
            body, status: 206, headers: [("ETag", tag), ("Content-Range", "bytes \(range)")])
    }

    /// Runs an operation to 40 stored bytes, pauses and resumes it, and waits for its end.
    private func run(_ stream: OutputStream? = nil) async -> LifeOperation {
        let operation = world.operation(Self.path)
        operation.outputStream = stream
        let end = operation.endSignal()
        let stored = Signal()
        operation.setDownloadProgressBlock { _, total, _ in if total == 40 { stored.fire() } }
        operation.start()
        await stored.wait(for: 1, "40 bytes")
        operation.pause()
        await world.seesTheClose()
        #expect(operation.totalBytesRead == 40 && operation.error == nil)
        #expect(operation.response != nil && operation.responseData == nil)
        operation.resume()
        await end.wait()
        await MainQueue.settle()
        #expect(end.count == 1 && world.server.requests.count == 2)
        return operation
    }

    private var second: RecordedRequest? { world.server.requests.last }

    @Test func `with a strong tag the rest is asked for by range and appended`() async {
        serve([("ETag", "\"a\"")]) { _ in part("40-99/100", Self.whole.dropFirst(40)) }
        let operation = await run()
        #expect(operation.error == nil && operation.responseData == Self.whole)
        #expect(operation.totalBytesRead == 100)
        #expect(second?.headers["Range"] == "bytes=40-" && second?.headers["If-Range"] == "\"a\"")
        #expect(world.server.requests.first?.headers["Range"] == nil)
        #expect(operation.request.value(forHTTPHeaderField: "Range") == nil)
    }

    @Test func `with a date the rest is asked for by range and appended`() async {
        let date = ScriptedResponse.fileDate
        serve([("Last-Modified", date), ("ETag", "W/\"weak\"")]) { _ in
            .data(
                Self.whole.dropFirst(40), status: 206,
                headers: [("Last-Modified", date), ("Content-Range", "bytes 40-99/100")])
        }
        let operation = await run()
        #expect(operation.error == nil && operation.responseData == Self.whole)
        #expect(second?.headers["Range"] == "bytes=40-" && second?.headers["If-Range"] == date)
    }

    @Test func `206 of a changed entity fails`() async {
        serve([("ETag", "\"a\"")]) { _ in
            part("40-99/100", Self.other.dropFirst(40), tag: "\"b\"")
        }
        let operation = await run()
        #expect((operation.error as? URLError)?.code == .badServerResponse)
        #expect(operation.responseData == nil && operation.totalBytesRead == 40)
    }

    // MARK: Streams

    private func withFile(_ body: (String, OutputStream) async throws -> Void) async throws {
        let path = NSTemporaryDirectory() + "life-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path, #require(OutputStream(toFileAtPath: path, append: false)))
    }

    @Test func `a file whose entity has changed fails and keeps the part`() async throws {
        serve([("ETag", "\"a\"")]) { _ in .data(Self.other, headers: [("ETag", "\"b\"")]) }
        try await withFile { path, stream in
            let operation = await run(stream)
            #expect((operation.error as? URLError)?.code == .badServerResponse)
            #expect(FileManager.default.contents(atPath: path) == Self.whole.prefix(40))
            #expect(stream.streamStatus == .closed && operation.totalBytesRead == 40)
        }
    }

    @Test func `a file without a validator fails and keeps the part`() async throws {
        serve([]) { _ in .data(Self.other) }
        try await withFile { path, stream in
            let operation = await run(stream)
            #expect(operation.error != nil)
            #expect(FileManager.default.contents(atPath: path) == Self.whole.prefix(40))
        }
    }
}
