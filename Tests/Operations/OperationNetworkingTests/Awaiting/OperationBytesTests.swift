import CurlConnection
import ProcessUse
import TestSupport

@testable import OperationNetworking

@Suite("Bodies of operations as they come", .timeLimit(.minutes(30)))
struct OperationBytesTests {
    private let world = TestWorld()

    private func add(
        _ path: String, type: String = "text/event-stream", _ steps: ScriptedResponse.Step...
    ) {
        let head = ScriptedResponse.head(
            200, [("Content-Type", type), ("Transfer-Encoding", "chunked")])
        world.server.add(path) { _ in ScriptedResponse([.bytes(head)] + steps) }
    }

    private static func chunk(_ text: String) -> ScriptedResponse.Step {
        .bytes(ScriptedResponse.chunk(Data(text.utf8)))
    }

    private static let end = ScriptedResponse.Step.bytes(Data("0\r\n\r\n".utf8))

    // MARK: - Reading

    @Test func `bytes, chunks and lines are the whole body`() async throws {
        let whole = GeneratedBytes.bytes(seed: 3, range: 0..<3_000_000)
        let (chunks, response) = try await world.httpOperation("/bytes/3000000?seed=3").bytes()
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        var data = Data()
        for try await chunk in chunks.chunks { data.append(chunk) }
        #expect(data == whole)
        let (bytes, _) = try await world.httpOperation("/bytes/30000?seed=3").bytes()
        var single: [UInt8] = []
        for try await byte in bytes { single.append(byte) }
        #expect(Data(single) == whole.prefix(30_000))
        add("/lines", type: "text/plain", Self.chunk("a\r"), Self.chunk("\nb\n\nč"), Self.end)
        let (lines, _) = try await world.httpOperation("/lines").bytes()
        var texts: [String] = []
        for try await line in lines.lines { texts.append(line) }
        #expect(texts == ["a", "b", "", "č"])
    }

    @Test func `an event is there while the server has not sent the next`() async throws {
        add(
            "/events", Self.chunk("id: 1\ndata: a\n\nda"), .wait(gate: "next"),
            Self.chunk("ta: b\n\n"), .wait(gate: "last"), Self.end)
        let (bytes, _) = try await world.httpOperation("/events").bytes()
        var events = bytes.events.makeAsyncIterator()
        #expect(try await events.next() == ServerSentEvent(data: "a", lastEventID: "1"))
        await world.reached("next")
        world.server.release("next")
        #expect(try await events.next() == ServerSentEvent(data: "b", lastEventID: "1"))
        world.server.release("last")
        #expect(try await events.next() == nil)
    }

    @Test func `a body that is cut throws after what came, however it is framed`() async throws {
        add("/cut", Self.chunk("data: a\n\ndata: b"), .close)
        let (bytes, _) = try await world.httpOperation("/cut").bytes()
        var events = bytes.events.makeAsyncIterator()
        #expect(try await events.next()?.data == "a")
        let error = await #expect(throws: URLError.self) { try await events.next() }
        #expect(error?.code == .networkConnectionLost)
        let head = ScriptedResponse.head(200, [("Content-Length", "20")])
        world.server.add("/short") { _ in
            ScriptedResponse([.bytes(head), .bytes(Data("a\nb\n".utf8)), .close])
        }
        let (short, _) = try await world.httpOperation("/short").bytes()
        var lines: [String] = []
        await #expect(throws: URLError.self) {
            for try await line in short.lines { lines.append(line) }
        }
        #expect(lines == ["a", "b"])
    }

    @Test func `an operation that goes elsewhere is refused, and one that fails throws its error`()
        async throws
    {
        let started = world.httpOperation("/ok")
        started.start()
        await #expect(throws: BodyReadingError.bodyGoesElsewhere) { _ = try await started.bytes() }
        let streaming = world.httpOperation("/ok")
        streaming.outputStream = OutputStream.toMemory()
        await #expect(throws: BodyReadingError.bodyGoesElsewhere) {
            _ = try await streaming.bytes()
        }
        let lost = HTTPRequestOperation(request: URLRequest(url: URL(fileURLWithPath: "/")))
        await #expect(throws: URLError.self) { _ = try await lost.bytes() }
    }

    @Test func `a pause and a resume continue the body`() async throws {
        let path = "/bytes/4000000?seed=5"
        let operation = world.httpOperation(path)
        let (bytes, _) = try await operation.bytes()
        var chunks = bytes.chunks.makeAsyncIterator()
        var data = try #require(try await chunks.next())
        operation.pause()
        await world.settle()
        operation.resume()
        while let chunk = try await chunks.next() { data.append(chunk) }
        #expect(data == GeneratedBytes.bytes(seed: 5, range: 0..<4_000_000))
    }

    /// libcurl holds the last piece when the reader comes, and no socket tells that there is more.
    @Test func `a limited load whose reader comes at the end is whole`() async throws {
        for size in [300_000, BodyChannel.limit + 1, BodyChannel.limit + 10_000] {
            var request = world.request("/bytes/\(size)?seed=7")
            request.timeoutInterval = 5
            let operation = world.httpOperation(request)
            operation.configuration.maximumReceiveRate = 1_500_000
            let (bytes, _) = try await operation.bytes()
            // The rate is above the limit then, so libcurl puts its next look off.
            try await Task.sleep(for: .milliseconds(100))
            var data = Data()
            for try await chunk in bytes.chunks { data.append(chunk) }
            #expect(data == GeneratedBytes.bytes(seed: 7, range: 0..<Int64(size)))
        }
    }

    // MARK: - Going

    @Test func `leaving the loop closes the socket`() async throws {
        add("/events", Self.chunk("data: a\n\n"), .stall)
        let operation = world.httpOperation("/events")
        let (bytes, _) = try await operation.bytes()
        for try await event in bytes.events {
            #expect(event.data == "a")
            break
        }
        await world.seesTheClose()
        #expect(operation.isCancelled)
    }

    @Test func `a body that nobody reads is not kept open`() async throws {
        add("/events", Self.chunk("data: a\n\n"), .stall)
        _ = try await world.httpOperation("/events").bytes()
        await world.seesTheClose()
    }

    @Test func `cancelling the task or the operation ends the reading and closes the socket`()
        async throws
    {
        for byTask in [true, false] {
            add("/events", Self.chunk("data: a\n\n"), .stall)
            let operation = world.httpOperation("/events")
            let first = Signal()
            let task = Task {
                let (bytes, _) = try await operation.bytes()
                for try await _ in bytes.events { first.fire() }
            }
            await first.wait()
            if byTask { task.cancel() } else { operation.cancel() }
            let error = await #expect(throws: URLError.self) { try await task.value }
            #expect(error?.code == .cancelled)
            await world.seesTheClose()
        }
    }

    @Test func `a task that is cancelled before the head closes the socket`() async throws {
        let operation = world.httpOperation(world.gate("a"))
        let task = Task { _ = try await operation.bytes() }
        await world.reached("a")
        task.cancel()
        await #expect(throws: URLError.self) { try await task.value }
        await world.seesTheClose()
    }

    // MARK: - Back-pressure

    @Test func `a reader that is behind stops the server, others go on, and no byte is lost`()
        async throws
    {
        let size: Int64 = 48 << 20
        let (bytes, _) = try await world.httpOperation("/bytes/\(size)?seed=9").bytes()
        var chunks = bytes.chunks.makeAsyncIterator()
        var data = try #require(try await chunks.next())
        // The thread has time for all of it meanwhile.
        for _ in 0..<30 { _ = try await world.httpOperation("/bytes/200000").result() }
        let sent = world.server.statistics.bytesSent - 30 * 200_000
        #expect(sent < 24 << 20, "The kernel's buffers hold the rest.")
        while let chunk = try await chunks.next() { data.append(chunk) }
        #expect(BodyHash.of(data) == GeneratedBytes.hash(seed: 9, range: 0..<size))
    }

    /// `READER_MIB=1024` is the long form, which reads a MiB a second.
    @Test(.timeLimit(.minutes(30)), .enabled(if: PeakMemory.isMeaningful))
    func `a slow reader of a large body keeps less than 16 MiB of it`() async throws {
        let long = ProcessInfo.processInfo.environment["READER_MIB"].flatMap { Int64($0) }
        let size = (long ?? 96) << 20
        let (bytes, _) = try await world.httpOperation("/bytes/\(size)?seed=9").bytes()
        var (read, paused): (Int64, Int64) = (0, 0)
        let before = try PeakMemory.reset()
        for try await chunk in bytes.chunks {
            // The thread has time for much more meanwhile.
            if read == 0 {
                for _ in 0..<30 { _ = try await world.httpOperation("/bytes/200000").result() }
            }
            read += Int64(chunk.count)
            guard read - paused >= 1 << 20 else { continue }
            paused = read
            if long != nil {
                try await Task.sleep(for: .seconds(1))
            } else {
                await world.settle()
            }
        }
        #expect(read == size)
        #expect(try PeakMemory.now() - before < 16 << 20)
    }
}
