import OperationNetworking
import TestSupport

/// Foundation's own streams stop the process when one without an error is asked for its error.
@Suite("Foundation's streams without room or closed", .timeLimit(.minutes(5)))
struct OutputStreamTrapTests {
    /// What a stream writes to: one is called on a thread of all disks, the other on one of its own.
    enum File: CaseIterable {
        case regular, device
    }

    private let world = TestWorld(routes: .pieces)
    private let folder = TemporaryFolder()

    private func stream(_ file: File) throws -> OutputStream {
        let path = file == .device ? "/dev/null" : folder.url.appendingPathComponent("file").path
        return try #require(OutputStream(toFileAtPath: path, append: true))
    }

    @Test(
        arguments: File.allCases)
    func `a file stream the caller closes under way fails the operation`(_ file: File) async throws
    {
        let operation = world.plainOperation("/three/held")
        let stream = try stream(file)
        operation.outputStream = stream
        let stored = Signal()
        operation.setDownloadProgressBlock { _, _, _ in stored.fire() }
        let end = operation.endSignal()
        operation.start()
        await stored.wait()
        stream.close()
        world.server.release("rest")
        await end.wait()
        #expect(operation.errorCode == .cannotWriteToFile)
    }

    @Test(
        arguments: File.allCases)
    func `a file stream that was closed before the start fails the operation`(_ file: File)
        async throws
    {
        let operation = world.plainOperation("/three/sized")
        let stream = try stream(file)
        stream.open()
        stream.close()
        operation.outputStream = stream
        await operation.run()
        #expect(operation.errorCode == .cannotWriteToFile)
    }

    @Test(arguments: [3, 7, 12, 17])
    func `a buffer that is full before the end fails the operation`(capacity: Int) async {
        for path in ["/three/chunked", "/three/sized"] {
            var request = world.request(path)
            request.timeoutInterval = 1
            let operation = world.plainOperation(request)
            let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
            defer { memory.deallocate() }
            operation.outputStream = OutputStream(toBuffer: memory, capacity: capacity)
            await operation.run()
            #expect(operation.error != nil)
        }
    }

    @Test
    func `a buffer of the body's own size gets it whole`() async {
        let operation = world.plainOperation("/three/chunked")
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 18)
        defer { memory.deallocate() }
        operation.outputStream = OutputStream(toBuffer: memory, capacity: 18)
        await operation.run()
        #expect(operation.error == nil)
        #expect(Data(bytes: memory, count: 18) == Pieces.whole)
    }

    @Test(
        arguments: File.allCases)
    func `an input file stream that was closed before the start fails the operation`(_ file: File)
        async throws
    {
        var request = world.request("/echo-body")
        request.httpMethod = "POST"
        let operation = world.plainOperation(request)
        let path = file == .device ? "/dev/zero" : try folder.write("full").path
        let stream = InputStream(fileAtPath: path)
        stream?.open()
        stream?.close()
        operation.inputStream = stream
        await operation.run()
        #expect(operation.errorCode == .requestBodyStreamExhausted)
    }

    @Test(
        arguments: ["/nowhere/file", "/tmp"])
    func `an input file that is not there, or is a folder, fails the operation`(path: String) async
    {
        var request = world.request("/echo-body")
        request.httpMethod = "POST"
        let operation = world.plainOperation(request)
        operation.inputStream = InputStream(fileAtPath: path)
        await operation.run()
        #expect(operation.errorCode == .requestBodyStreamExhausted)
    }
}
