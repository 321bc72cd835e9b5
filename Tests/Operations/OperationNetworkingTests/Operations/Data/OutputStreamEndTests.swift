import TestSupport

@testable import OperationNetworking

@Suite("Streams of files and memory, and how streams end", .timeLimit(.minutes(5)))
struct OutputStreamEndTests {
    private let world = TestWorld(routes: .pieces)

    private func temporaryPath() -> String {
        NSTemporaryDirectory() + "OutputStreamEndTests-\(UUID().uuidString)"
    }

    private func openFiles() -> [String] {
        let manager = FileManager.default
        let numbers = (try? manager.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return numbers.compactMap {
            try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
        }
    }

    private func stream(_ operation: URLConnectionOperation, path: String) throws -> OutputStream {
        let stream = try #require(OutputStream(toFileAtPath: path, append: true))
        operation.outputStream = stream
        return stream
    }

    @Test
    func `a file gets the whole body; response data is nil, the stream stays (ST-8)`() async throws
    {
        let path = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let operation = world.plainOperation("/bytes/300000")
        let stream = try stream(operation, path: path)
        await operation.run()
        let plain = world.plainOperation("/bytes/300000")
        await plain.run()
        #expect(operation.error == nil)
        #expect(FileManager.default.contents(atPath: path) == plain.responseData)
        #expect(operation.responseData == nil)
        #expect(operation.outputStream === stream)
        #expect(stream.streamStatus == .closed)
    }

    @Test
    func `a caller's memory stream: its bytes are the response data, it is dropped (ST-7)`() async {
        let operation = world.plainOperation("/three/chunked")
        let stream = OutputStream.toMemory()
        operation.outputStream = stream
        await operation.run()
        #expect(operation.error == nil)
        #expect(operation.responseData == Pieces.whole)
        #expect(operation.responseString == "abcdefghijklmnopqr")
        #expect(operation.outputStream == nil)
        #expect(stream.streamStatus == .closed)
    }

    @Test
    func `reading the stream when none is set makes one of memory, once (ST-1)`() async {
        let operation = world.plainOperation("/three/sized")
        let stream = operation.outputStream
        #expect(stream != nil)
        #expect(operation.outputStream === stream)
        await operation.run()
        #expect(operation.responseData == Pieces.whole)
        #expect(stream?.streamStatus == .closed)
    }

    @Test
    func `setting another stream closes the one before, the same one not (ST-2)`() {
        let operation = world.plainOperation("/ok")
        let (first, second) = (OutputDouble(.init()), OutputDouble(.init()))
        first.open()
        operation.outputStream = first
        operation.outputStream = first
        #expect(first.streamStatus == .open)
        operation.outputStream = second
        #expect(first.streamStatus == .closed)
    }

    @Test
    func `a full disk fails the operation with the system's error (wound 10)`() async throws {
        for path in ["/three/sized", "/three/chunked", "/bytes/1", "/bytes/300000"] {
            let operation = world.plainOperation(path)
            _ = try stream(operation, path: "/dev/full")
            await operation.run()
            let error = operation.error.map { $0 as NSError }
            #expect(error?.domain == NSPOSIXErrorDomain)
            #expect(error?.code == Int(ENOSPC))
            // A stream with an error never says that it is closed, but its descriptor is gone.
            #expect(!openFiles().contains("/dev/full"))
        }
    }

    @Test
    func `a file that cannot be made fails the operation with the system's error (wound 10)`()
        async throws
    {
        for path in ["/three/sized", "/bytes/0"] {
            let operation = world.plainOperation(path)
            _ = try stream(operation, path: "/nowhere/file")
            await operation.run()
            let error = operation.error.map { $0 as NSError }
            #expect(error?.domain == NSPOSIXErrorDomain, "\(path)")
            #expect(error?.code == Int(ENOENT), "\(path)")
        }
    }

    @Test(
        arguments: ["/bytes/0", "/three/sized", "/status/500", "/cut", "/reset", "/silent"])
    func `the stream is closed after success and after each failure (ST-7, ST-9, wound 34)`(
        path: String
    ) async {
        let half = ScriptedResponse.head(200, [("Content-Length", "100")]) + Data("half".utf8)
        world.server.add("/cut") { _ in ScriptedResponse([.bytes(half), .close]) }
        world.server.add("/reset") { _ in ScriptedResponse([.reset]) }
        world.server.add("/silent") { _ in ScriptedResponse([.stall]) }
        var request = world.request(path)
        request.timeoutInterval = path == "/silent" ? 1 : 60
        let operation = world.plainOperation(request)
        let stream = OutputDouble(.init())
        operation.outputStream = stream
        await operation.run()
        #expect(stream.streamStatus == .closed)
        #expect(
            (operation.error == nil) == ["/bytes/0", "/three/sized", "/status/500"].contains(path))
    }

    @Test
    func `the stream is closed when no connection can be made (wound 34)`() async {
        let operation = world.plainOperation("/ok")
        let stream = OutputDouble(.init())
        operation.outputStream = stream
        world.server.stop()
        await operation.run()
        #expect(operation.errorCode == .cannotConnectToHost)
        #expect(stream.streamStatus == .closed)
    }

    @Test(
        arguments: [true, false])
    func `the stream is closed after a cancel, running or paused (ST-9)`(pausesFirst: Bool) async {
        let operation = world.plainOperation("/three/held")
        let stream = OutputDouble(.init())
        operation.outputStream = stream
        let stored = Signal()
        operation.setDownloadProgressBlock { _, _, _ in stored.fire() }
        let end = operation.endSignal()
        operation.start()
        await stored.wait()
        if pausesFirst {
            operation.pause()
            await world.settle()
            #expect(stream.streamStatus == .open)
        }
        operation.cancel()
        await end.wait()
        #expect(operation.errorCode == .cancelled)
        #expect(stream.stored == Pieces.three[0])
        #expect(stream.streamStatus == .closed)
    }

    @Test
    func `a stream is not opened by an operation that is cancelled before its start`() async {
        let operation = world.plainOperation("/ok")
        let stream = OutputDouble(.init())
        operation.outputStream = stream
        operation.cancel()
        await operation.run()
        #expect(operation.errorCode == .cancelled)
        #expect(stream.streamStatus == .notOpen)
    }

    @Test
    func `a stream the caller closes under way fails the operation`() async {
        let operation = world.plainOperation("/three/held")
        let stream = OutputDouble(.init())
        operation.outputStream = stream
        let stored = Signal()
        operation.setDownloadProgressBlock { _, _, _ in stored.fire() }
        let end = operation.endSignal()
        operation.start()
        await stored.wait()
        stream.close()
        world.server.release("rest")
        await end.wait()
        #expect(operation.error != nil)
        #expect(stream.writesWhenClosed == 0)
    }
}
