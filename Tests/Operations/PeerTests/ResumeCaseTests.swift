import CurlConnection
import OperationNetworking
import TestSupport

/// Acceptance cases of downloads that go on, and of forms, under their ids.
@Suite(
    "Cases R25 to R69: downloads that go on, and forms", .timeLimit(.minutes(1)),
    .enabled(if: FaultPeer.isAvailable, FaultPeer.need))
struct ResumeCaseTests {
    private let client = PeerClient()

    /// What `/range` and its like serve.
    private static let whole = Data((0..<1 << 20).map { UInt8($0 & 255) })

    /// Runs an operation that writes behind what the file holds.
    private func run(
        _ url: URL, to file: URL, after partial: PartialContent? = nil
    ) async throws -> PartDownload {
        let request = URLRequest(url: url, timeoutInterval: 5)
        let operation = PartDownload(request: partial?.request(continuing: request) ?? request)
        operation.partial = partial
        operation.outputStream = OutputStream(url: file, append: true)
        operation.completionQueue = client.queue
        await withCheckedContinuation { continuation in
            operation.completionBlock = { continuation.resume() }
            operation.start()
        }
        return operation
    }

    private func withFile(_ content: Data, _ body: (URL) async throws -> Void) async throws {
        let folder = TemporaryFolder()
        try await body(folder.write("part", content))
    }

    private func code(_ operation: URLConnectionOperation) -> URLError.Code? {
        (operation.error as? URLError)?.code
    }

    @Test
    func `R25: a file is whole after four operations, each cut off but the last`() async throws {
        let peer = try FaultPeer()
        defer { peer.stop() }
        try await withFile(Data()) { file in
            var partial: PartialContent?
            for count in [300_000, 600_000, 900_000] {
                let operation = try await run(peer.url("/range-cut"), to: file, after: partial)
                #expect(code(operation) == .networkConnectionLost)
                let stored = try Data(contentsOf: file)
                #expect(stored.count == count)
                #expect(stored == Self.whole.prefix(count))
                partial = PartialContent(of: operation.response, stored: Int64(count))
                #expect(partial?.totalLength == 1 << 20)
            }
            let last = try await run(peer.url("/range-cut"), to: file, after: partial)
            #expect(last.error == nil)
            #expect(try Data(contentsOf: file) == Self.whole)
        }
        let log = try await client.log(of: peer)
        #expect(
            log.map { $0["Range"] } == [nil, "bytes=300000-", "bytes=600000-", "bytes=900000-"])
        #expect(log.map { $0["If-Range"] } == [nil, "\"r1\"", "\"r1\"", "\"r1\""])
    }

    @Test(
        arguments: [
            "/range-ignored", "/range-wrong", "/range-416", "/range-multipart",
        ])
    func `R27: an answer that is not the rest leaves the part as it is`(path: String) async throws {
        let peer = try FaultPeer()
        defer { peer.stop() }
        let part = Self.whole.prefix(300_000)
        let partial = PartialContent(offset: 300_000, validator: "\"r1\"", totalLength: 1 << 20)
        try await withFile(part) { file in
            let operation = try await run(peer.url(path), to: file, after: partial)
            #expect(code(operation) == .badServerResponse)
            #expect(try Data(contentsOf: file) == part)
        }
        let log = try await client.log(of: peer)
        #expect(log.first?["Range"] == "bytes=300000-")
    }

    // MARK: Forms

    /// Sends a form; the bytes that arrive must be those of RFC 7578 with these parts.
    private func send(
        _ parts: [(name: String, content: Data)], packetSize: Int = 0
    ) async throws -> String {
        struct Arrived: Decodable, Equatable {
            var body_len: Int
            var body_sha256: String
        }
        let request = try client.manager.requestSerializer.multipartFormRequest(
            method: "POST", urlString: FaultPeer.shared.get().url("/upload").absoluteString,
            parameters: nil
        ) { form in
            for part in parts { form.appendPart(formData: part.content, name: part.name) }
            if packetSize > 0 { form.throttleBandwidth(packetSize: packetSize, delay: 0.001) }
        }
        let type = try #require(request.value(forHTTPHeaderField: "Content-Type"))
        let boundary = try #require(type.components(separatedBy: "boundary=").last)
        var body = Data()
        for part in parts {
            body += Data("--\(boundary)\r\nContent-Disposition: form-data; ".utf8)
            body += Data("name=\"\(part.name)\"\r\n\r\n".utf8) + part.content + Data("\r\n".utf8)
        }
        body += Data("--\(boundary)--\r\n".utf8)
        let answer = try #require(await client.run(request).data)
        let arrived = try JSONDecoder().decode(Arrived.self, from: answer)
        let expected = Arrived(body_len: body.count, body_sha256: try await sha256(body))
        #expect(arrived == expected)
        return boundary
    }

    /// By a program, so that nothing of the library is its own judge.
    private func sha256(_ data: Data) async throws -> String {
        let text = Locked("")
        try await withFile(data) { file in
            let process = Process()
            process.executableURL = FaultPeer.program("sha256sum")
            process.arguments = [file.path]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let line = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            text.withLock { $0 = String(decoding: line.prefix(64), as: UTF8.self) }
        }
        return text.withLock { $0 }
    }

    @Test
    func `R69: parts with a boundary in them, and without a byte, arrive as they are`() async throws
    {
        let boundary = try await send([("empty", Data())])
        let inside = Data("\r\n--\(boundary)\r\nx\r\n--\(boundary)--\r\n".utf8)
        let next = try await send([("inside", inside), ("empty", Data()), ("last", Data("z".utf8))])
        #expect(next != boundary)
    }

    @Test
    func `R69: ten thousand parts arrive`() async throws {
        _ = try await send((0..<10_000).map { ("part\($0)", Data("\($0)".utf8)) })
    }

    @Test
    func `R69: a form that is slowed down arrives whole`() async throws {
        _ = try await send([("big", Self.whole.prefix(100_000))], packetSize: 4_096)
    }
}

/// A download that takes only the rest of its part.
///
/// ## Concurrency
/// Call from: any thread. Lock: none of its own.
private final class PartDownload: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because its one variable is set before the start.
    var partial: PartialContent?

    override func connection(_ connection: URLConnection, didReceive response: URLResponse) {
        let answer = (response as? HTTPURLResponse).flatMap { partial?.judge($0) }
        if partial != nil, answer != .append {
            fail(with: URLError(.badServerResponse))
        } else {
            super.connection(connection, didReceive: response)
        }
    }
}
