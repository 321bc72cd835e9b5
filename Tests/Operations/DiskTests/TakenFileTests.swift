import TestSupport

@testable import CurlConnection
@testable import OperationNetworking

/// A file that takes a response while its disk does not answer.
@Suite("A busy disk that takes a response", .serialized, .timeLimit(.minutes(5)))
struct TakenFileTests {
    private static let bytes = GeneratedBytes.bytes(seed: 6, range: 0..<700_000)

    private let server = LoopbackServer.started()
    private let thread = NetworkThread(name: "beside a disk")
    private let room = TemporaryFolder()

    init() throws {
        server.add("/large") { _ in .data(Self.bytes) }
        server.add("/cut") { _ in
            let head = ScriptedResponse.head(200, [("Content-Length", "700000")])
            return ScriptedResponse([.bytes(head + Self.bytes.prefix(300_000)), .close])
        }
        server.add("/held") { _ in
            let head = ScriptedResponse.head(200, [("Content-Length", "700000")])
            return ScriptedResponse([
                .bytes(head + Self.bytes.prefix(300_000)), .wait(gate: "rest"),
                .bytes(Self.bytes.dropFirst(300_000)),
            ])
        }
    }

    private var file: URL { room.file("taken") }

    private func operation(_ path: String) -> URLConnectionOperation {
        let operation = URLConnectionOperation(
            request: URLRequest(url: server.url(path), timeoutInterval: 60))
        operation.networkThread = thread
        return operation
    }

    private func download(_ path: String) -> (URLConnectionOperation, Signal) {
        let operation = operation(path)
        operation.outputStream = OutputStream(url: file, append: false)
        let end = Signal()
        operation.completionBlock = { end.fire() }
        return (operation, end)
    }

    /// Loads from the same thread.
    private func others() async {
        for _ in 0..<3 {
            let other = operation("/ok")
            let end = Signal()
            other.completionBlock = { end.fire() }
            other.start()
            await end.wait()
            #expect(other.responseString == "hello world")
        }
    }

    @Test func `it keeps no other load waiting`() async throws {
        let (operation, end) = download("/large")
        let hold = await PoolHold()
        defer { hold.release() }
        operation.start()
        await others()
        #expect(end.count == 0)
        hold.release()
        await end.wait()
        #expect(operation.error == nil && operation.totalBytesRead == 700_000)
        #expect(operation.outputStream?.streamStatus == .closed)
        #expect(try Data(contentsOf: file) == Self.bytes)
    }

    @Test func `a broken connection leaves there what came before, and the end waits for it`()
        async throws
    {
        let (operation, end) = download("/cut")
        let hold = await PoolHold()
        defer { hold.release() }
        operation.start()
        _ = await server.sees { now, _ in now.connectionsAccepted > 0 && now.connectionsOpen == 0 }
        await others()
        #expect(end.count == 0 && operation.totalBytesRead == 0)
        hold.release()
        await end.wait()
        #expect((operation.error as? URLError)?.code == .networkConnectionLost)
        #expect(operation.totalBytesRead == 300_000)
        #expect(operation.outputStream?.streamStatus == .closed)
        #expect(try Data(contentsOf: file) == Self.bytes.prefix(300_000))
    }

    @Test func `a pause and a resume while it is busy bring each byte once`() async throws {
        let (operation, end) = download("/held")
        let hold = await PoolHold()
        defer { hold.release() }
        operation.start()
        #expect(await server.reaches("rest", count: 1))
        await others()
        operation.pause()
        server.release("rest")
        hold.release()
        operation.resume()
        await end.wait()
        // Without a validator what came cannot be continued, and a stream's bytes cannot be taken back.
        let count = try Data(contentsOf: file).count
        #expect(operation.totalBytesRead == Int64(count))
        #expect(try Data(contentsOf: file) == Self.bytes.prefix(count))
    }

    @Test func `what a 416 completes is no success while the disk has not taken it`() async throws {
        server.add("/whole") { request in
            let tag = [("ETag", "\"a\"")]
            guard let range = request.headers["Range"] else {
                let head = ScriptedResponse.head(200, tag)
                return ScriptedResponse([
                    .bytes(head + Self.bytes.prefix(300_000)), .wait(gate: "rest"),
                ])
            }
            let whole = range.dropFirst("bytes=".count).dropLast()
            return .data(
                Data(), status: 416, headers: tag + [("Content-Range", "bytes */\(whole)")])
        }
        let (operation, end) = download("/whole")
        operation.request.timeoutInterval = 2
        let hold = await PoolHold()
        defer { hold.release() }
        operation.start()
        #expect(await server.reaches("rest", count: 1))
        await others()
        operation.pause()
        operation.resume()
        await end.wait()
        #expect((operation.error as? URLError)?.code == .timedOut)
        #expect(operation.totalBytesRead == 0)
        server.release("rest")
    }

    @Test
    func `a load that failed before its file was known to be a pipe does not wait for a reader`()
        async throws
    {
        try #require(mkfifo(file.path, 0o600) == 0)
        let (operation, end) = download("/cut")
        operation.request.timeoutInterval = 600
        let hold = await PoolHold()
        defer { hold.release() }
        operation.start()
        _ = await server.sees { now, _ in now.connectionsAccepted > 0 && now.connectionsOpen == 0 }
        await others()
        #expect(end.count == 0)
        hold.release()
        try #require(await end.wait(for: 1, "the end"))
        #expect((operation.error as? URLError)?.code == .networkConnectionLost)
    }

    /// Answers with the first bytes, and to a range with the rest.
    private final class Parts: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool {
            request.url?.host == "parts.test"
        }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            guard let url = request.url else { return }
            let isRest = request.value(forHTTPHeaderField: "Range") == "bytes=300000-"
            var fields = ["ETag": "\"a\"", "Content-Length": isRest ? "400000" : "700000"]
            if isRest { fields["Content-Range"] = "bytes 300000-699999/700000" }
            guard
                let response = HTTPURLResponse(
                    url: url, statusCode: isRest ? 206 : 200, httpVersion: "HTTP/1.1",
                    headerFields: fields)
            else { return }
            let bytes = TakenFileTests.bytes
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(
                self,
                didLoad: isRest ? Data(bytes.dropFirst(300_000)) : bytes.prefix(300_000))
            if isRest { client?.urlProtocolDidFinishLoading(self) }
        }

        override func stopLoading() {}
    }

    /// Says how much it was given.
    private final class Counted: URLConnectionOperation, @unchecked Sendable {
        // @unchecked because it restates the superclass; the count has a lock of its own.
        private let bytes = Watched(0)

        func receives(_ count: Int) async -> Bool { await bytes.reaches { $0 >= count } }

        override func connection(_ connection: URLConnection, didReceive data: Data) {
            super.connection(connection, didReceive: data)
            bytes.change { $0 += data.count }
        }
    }

    @Test func `the rest that a class loads counts before the disk has taken it`() async throws {
        let url = try #require(URL(string: "http://parts.test/file"))
        let operation = Counted(request: URLRequest(url: url, timeoutInterval: 60))
        operation.networkThread = thread
        operation.configuration.protocolClasses = [Parts.self]
        operation.outputStream = OutputStream(url: file, append: false)
        let end = Signal()
        operation.completionBlock = { end.fire() }
        operation.start()
        try #require(await operation.receives(300_000))
        let hold = await PoolHold()
        defer { hold.release() }
        operation.pause()
        operation.resume()
        try #require(await operation.receives(700_000))
        await others()
        #expect(end.count == 0)
        hold.release()
        await end.wait()
        #expect(operation.error == nil && operation.totalBytesRead == 700_000)
        #expect(try Data(contentsOf: file) == Self.bytes)
    }

    @Test func `a cancel waits for it a second, and leaves the stream to it then`() async throws {
        let (operation, end) = download("/held")
        let hold = await PoolHold()
        defer { hold.release() }
        operation.start()
        #expect(await server.reaches("rest", count: 1))
        await others()
        operation.cancel()
        await end.wait()
        #expect((operation.error as? URLError)?.code == .cancelled)
        #expect(operation.outputStream == nil && operation.totalBytesRead == 0)
        server.release("rest")
    }

    @Test func `after a cancel the file has what was counted, and its stream is closed`()
        async throws
    {
        let (operation, end) = download("/held")
        let stored = Signal()
        operation.setDownloadProgressBlock { _, total, _ in if total == 300_000 { stored.fire() } }
        operation.start()
        await stored.wait()
        operation.cancel()
        await end.wait()
        #expect((operation.error as? URLError)?.code == .cancelled)
        #expect(operation.outputStream?.streamStatus == .closed)
        #expect(try Data(contentsOf: file) == Self.bytes.prefix(300_000))
        server.release("rest")
    }

    @Test func `more is received once half of what waits is written`() async throws {
        let stream = try #require(OutputStream(url: file, append: false))
        let moved = Signal()
        let output = WaitingOutput(stream) { moved.fire() }
        let hold = await PoolHold()
        defer { hold.release() }
        output.open()
        let piece = Data(repeating: 1, count: 1 << 19)
        for _ in 0..<3 { output.put(piece) }
        #expect(output.excess(isLast: false) == 0)
        output.put(piece)
        #expect(output.excess(isLast: false) == 1 << 21)
        hold.release()
        await moved.wait()
        for _ in 0..<10_000 where output.waitingCount > 0 {
            _ = try output.takeWritten()
            await Task.yield()
        }
        #expect(output.excess(isLast: false) == 0)
        for _ in 0..<1_000_000 where output.excess(isLast: true) > 0 {
            _ = try output.takeWritten()
            await Task.yield()
        }
        #expect(stream.streamStatus == .closed)
        #expect(try Data(contentsOf: file).count == 1 << 21)
    }

    @Test func `a stream that is left while no job runs is closed`() async throws {
        let stream = try #require(OutputStream(url: file, append: false))
        let moved = Signal()
        let output = WaitingOutput(stream) { moved.fire() }
        output.open()
        await moved.wait(for: 1, "the open")
        output.leave()
        #expect(output.isLeft)
        await moved.wait(for: 2, "the close")
        #expect(stream.streamStatus == .closed)
    }

    @Test func `nothing waits for a stream that is left`() async throws {
        let stream = try #require(OutputStream(url: file, append: false))
        let hold = await PoolHold()
        defer { hold.release() }
        let output = WaitingOutput(stream) {}
        output.open()
        output.put(Self.bytes)
        output.leave()
        #expect(output.waitingCount == 0)
    }
}
