import CurlConnection
import Scheduling
import TestSupport

@testable import OperationNetworking

/// Foundation's streams of files say "has space" and "has bytes" whatever the file is. A pipe or a
/// terminal that waits stops its own operation only, and a cancel ends that at once (wounds 11, 49).
@Suite("Streams of files that may wait", .timeLimit(.minutes(5)))
struct WaitingStreamTests {
    private static let body = GeneratedBytes.bytes(seed: 21, range: 0..<300_000)

    private let world = TestWorld()
    private let folder = TemporaryFolder()

    init() {
        world.server.add("/large") { _ in .data(Self.body) }
        world.server.add("/echo-body") { .data($0.body) }
        // The rest by its range, as a resume asks for it; the first answer stops before its end.
        world.server.add("/part") { request in
            let own = [("ETag", "\"a\"")]
            let range = request.headers["Range"].map { $0.dropFirst("bytes=".count).dropLast() }
            guard let first = range.flatMap({ Int($0) }) else {
                let head = ScriptedResponse.head(
                    200, own + [("Content-Length", "\(Self.body.count)")])
                return ScriptedResponse([
                    .bytes(head + Self.body.prefix(200_000)), .wait(gate: "rest"),
                ])
            }
            let field = ("Content-Range", "bytes \(first)-299999/300000")
            return .data(Self.body[first...], status: 206, headers: own + [field])
        }
    }

    private func download(_ path: String, to file: String) -> HTTPRequestOperation {
        let operation = world.httpOperation(path)
        operation.outputStream = OutputStream(toFileAtPath: file, append: false)
        return operation
    }

    private func upload(_ stream: InputStream?) -> URLConnectionOperation {
        var request = world.request("/echo-body")
        request.httpMethod = "POST"
        request.httpBodyStream = stream
        let operation = world.operation()
        operation.request = request
        return operation
    }

    private func expectCancellable(_ operation: URLConnectionOperation, _ end: Signal) async {
        #expect(operation.isExecuting && end.count == 0)
        operation.cancel()
        await end.wait()
        #expect((operation.error as? URLError)?.code == .cancelled)
    }

    // MARK: Output

    @Test func `a pipe that nobody reads stops its own operation only`() async throws {
        let operation = try download("/large", to: folder.pipe())
        let end = operation.endSignal()
        operation.start()
        try await world.others()
        await expectCancellable(operation, end)
    }

    @Test func `a terminal whose output rests stops its own operation only`() async throws {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        defer { close(terminal) }
        var (lock, number): (Int32, Int32) = (0, -1)
        // TIOCSPTLCK and TIOCGPTN: unlocks the other end, and names it.
        try #require(ioctl(terminal, 0x4004_5431, &lock) == 0)
        try #require(ioctl(terminal, 0x8004_5430, &number) == 0)
        let operation = download("/large", to: "/dev/pts/\(number)")
        let end = operation.endSignal()
        operation.start()
        try await world.others()
        await expectCancellable(operation, end)
    }

    @Test func `a pipe gets every byte, however late its reader comes and reads`() async throws {
        let path = try folder.pipe()
        let operation = download("/large", to: path)
        let end = operation.endSignal()
        operation.start()
        try await world.others()
        let data = await onNewThread { everything(in: path) }
        await end.wait()
        #expect(operation.error == nil && operation.totalBytesRead == 300_000)
        #expect(data == Self.body)
    }

    @Test func `a pipe gets every byte once over a pause while it is full`() async throws {
        let path = try folder.pipe()
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let operation = download("/part", to: path)
        let (end, stored) = (operation.endSignal(), Signal())
        operation.setDownloadProgressBlock { _, _, _ in stored.fire() }
        operation.start()
        await stored.wait(for: 1, "bytes in the pipe")
        operation.pause()
        await world.seesTheClose()
        operation.resume()
        let data = await onNewThread { everything(in: path) }
        await end.wait()
        #expect(operation.error == nil)
        let isWhole = data == Self.body
        #expect(isWhole)
    }

    @Test func `a pipe gets every byte of a part that a 416 completes`() async throws {
        let path = try folder.pipe()
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        world.server.add("/whole") { request in
            let tag = [("ETag", "\"a\"")]
            guard let range = request.headers["Range"] else {
                let head = ScriptedResponse.head(200, tag)
                return ScriptedResponse([
                    .bytes(head + Self.body.prefix(200_000)), .wait(gate: "rest"),
                ])
            }
            let whole = range.dropFirst("bytes=".count).dropLast()
            return .data(
                Data(), status: 416, headers: tag + [("Content-Range", "bytes */\(whole)")])
        }
        let operation = download("/whole", to: path)
        let (end, stored) = (operation.endSignal(), Signal())
        operation.setDownloadProgressBlock { _, _, _ in stored.fire() }
        operation.start()
        await stored.wait(for: 1, "bytes in the pipe")
        operation.pause()
        await world.seesTheClose()
        operation.resume()
        await world.sees("the rest asked for") { $0.requests == 2 }
        try await world.others()
        try #require(end.count == 0, "It waits for the reader.")
        let data = await onNewThread { everything(in: path) }
        await end.wait()
        #expect(operation.error == nil)
        let range = try #require(world.server.requests.compactMap { $0.headers["Range"] }.last)
        let whole = try #require(Int(range.dropFirst("bytes=".count).dropLast()))
        #expect(whole > 65_536 && operation.totalBytesRead == Int64(whole))
        let isWhole = data == Self.body.prefix(whole)
        #expect(isWhole)
    }

    @Test
    func `cancelled operations on pipes that nobody reads keep no other stream from its turn`()
        async
    {
        await #expect(processExitsWith: .success) {
            let own = WaitingStreamTests()
            for _ in 0..<2 {
                let operations = try (0..<WorkerRule.streams.limit).map { _ in
                    let operation = try own.download("/large", to: own.folder.pipe())
                    operation.configuration.httpMaximumConnectionsPerHost = 200
                    return operation
                }
                let ends = operations.map { $0.endSignal() }
                operations.forEach { $0.start() }
                await own.world.sees("all of them") { $0.connectionsOpen == operations.count }
                operations.forEach { $0.cancel() }
                for end in ends { await end.wait() }
                await own.world.seesTheClose()
            }
            let last = own.download("/large", to: "/dev/null")
            await last.run()
            try #require(last.error == nil && last.totalBytesRead == 300_000)
        }
    }

    // MARK: Input

    @Test func `a pipe that nobody writes to stops its own operation only`() async throws {
        let operation = try upload(InputStream(fileAtPath: folder.pipe()))
        let end = operation.endSignal()
        operation.start()
        try await world.others()
        await expectCancellable(operation, end)
    }

    @Test func `a dry pipe stops its own operation only`() async throws {
        let path = try folder.pipe()
        let writer = open(path, O_RDWR | O_NONBLOCK)
        defer { close(writer) }
        let operation = upload(InputStream(fileAtPath: path))
        let end = operation.endSignal()
        operation.start()
        try await world.others()
        await expectCancellable(operation, end)
    }

    @Test(arguments: [nil, 300_000])
    func `a pipe's bytes are sent as they come`(length: Int?) async throws {
        let path = try folder.pipe()
        let operation = upload(InputStream(fileAtPath: path))
        if let length {
            operation.request.setValue("\(length)", forHTTPHeaderField: "Content-Length")
        }
        let end = operation.endSignal()
        operation.start()
        try await world.others()
        await onNewThread {
            guard let file = FileHandle(forWritingAtPath: path) else { return }
            for start in stride(from: 0, to: Self.body.count, by: 10_000) {
                file.write(Self.body[start..<(start + 10_000)])
            }
            try? file.close()
        }
        await end.wait()
        #expect(operation.error == nil)
        #expect(operation.responseData == Self.body)
    }

    @Test(arguments: [true, false])
    func `a part of a form from a pipe stops its own operation only`(isWritten: Bool) async throws {
        let path = try folder.pipe()
        let stream = try #require(InputStream(fileAtPath: path))
        let request = try HTTPRequestSerializer().multipartFormRequest(
            method: "POST", urlString: world.address("/echo-body"),
            parameters: nil
        ) {
            $0.appendPart(
                inputStream: stream, name: "s", fileName: "s", length: 300_000, mimeType: "a/b")
        }
        let operation = world.operation()
        operation.request = request
        let end = operation.endSignal()
        operation.start()
        try await world.others()
        guard isWritten else { return await expectCancellable(operation, end) }
        await onNewThread {
            try? FileHandle(forWritingAtPath: path)?.write(contentsOf: Self.body)
        }
        await end.wait()
        #expect(operation.error == nil)
        #expect(operation.responseData?.range(of: Self.body) != nil)
    }
}
