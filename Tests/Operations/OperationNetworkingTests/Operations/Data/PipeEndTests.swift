import CurlConnection
import Scheduling
import TestSupport

@testable import OperationNetworking

/// A pipe takes 64 KiB at once; the rest of a body waits for its reader. An end that does not wait loses that rest.
@Suite("The last bytes of a body, into a pipe", .timeLimit(.minutes(5)))
struct PipeEndTests {
    /// Where a body comes from.
    enum Origin: CaseIterable, Sendable {
        case network, cache, file, dataAddress, protocolClass
    }

    private static let body = GeneratedBytes.bytes(seed: 22, range: 0..<150_000)

    /// Loads the whole body at once.
    private final class Pushing: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { true }

        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            guard let url = request.url else { return }
            let response = URLResponse(
                url: url, mimeType: "text/plain", expectedContentLength: 150_000,
                textEncodingName: nil)
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            for start in stride(from: 0, to: PipeEndTests.body.count, by: 10_000) {
                let piece = Data(PipeEndTests.body[start..<(start + 10_000)])
                client?.urlProtocol(self, didLoad: piece)
            }
            client?.urlProtocolDidFinishLoading(self)
        }

        override func stopLoading() {}
    }

    private let world = TestWorld()
    private let folder = TemporaryFolder()

    init() {
        world.server.add("/large") { _ in .data(Self.body) }
        world.server.add("/kept") { _ in
            .data(Self.body, headers: [("Cache-Control", "max-age=600")])
        }
        // A body without a length, and then the word that there is nothing behind it.
        world.server.add("/whole") { request in
            let own = [("ETag", "\"a\"")]
            guard request.headers["Range"] == nil else {
                let field = ("Content-Range", "bytes */150000")
                return .data(Data(), status: 416, headers: own + [field])
            }
            return ScriptedResponse([
                .bytes(ScriptedResponse.head(200, own) + Self.body), .wait(gate: "rest"),
            ])
        }
    }

    private func operation(_ url: URL, _ method: String = "GET") -> CountedOperation {
        var request = URLRequest(url: url, timeoutInterval: 30)
        request.httpMethod = method
        let operation = CountedOperation(request: request)
        operation.networkThread = world.thread
        operation.configuration.loadsLocalAddresses = true
        return operation
    }

    /// An operation that loads the body from there.
    private func operation(_ origin: Origin, to path: String) async throws -> CountedOperation {
        let operation: CountedOperation
        switch origin {
        case .network:
            operation = self.operation(world.server.url("/large"))
        case .cache:
            operation = self.operation(world.server.url("/kept"))
            operation.configuration.responseCache = try ResponseCache(memoryCapacity: 16 << 20)
            let first = self.operation(world.server.url("/kept"))
            first.configuration = operation.configuration
            await first.run()
        case .file:
            operation = try self.operation(folder.write("body", Self.body))
        case .dataAddress:
            let text = "data:;base64," + Self.body.base64EncodedString()
            operation = try self.operation(#require(URL(string: text)))
        case .protocolClass:
            operation = try self.operation(#require(URL(string: "http://mock.test/body")))
            operation.configuration.protocolClasses = [Pushing.self]
        }
        operation.outputStream = OutputStream(toFileAtPath: path, append: false)
        return operation
    }

    /// A pipe that can be opened for writing at once, and its reader, which reads nothing.
    private func fullPipe() throws -> (path: String, reader: Int32) {
        let path = try folder.pipe()
        return (path, open(path, O_RDONLY | O_NONBLOCK))
    }

    /// Starts an operation, and waits until it has the whole body but for its end.
    private func begin(_ operation: CountedOperation) async throws -> Signal {
        let end = operation.endSignal()
        operation.start()
        try #require(await operation.receives(Self.body.count))
        try await world.others()
        return end
    }

    @Test(arguments: Origin.allCases)
    func `the operation ends when its pipe has every byte`(origin: Origin) async throws {
        let (path, reader) = try fullPipe()
        defer { close(reader) }
        let operation = try await operation(origin, to: path)
        let end = try await begin(operation)
        #expect(end.count == 0)
        let data = await onNewThread { everything(in: path) }
        await end.wait()
        #expect(operation.error == nil && operation.totalBytesRead == 150_000)
        #expect(data == Self.body)
        #expect(operation.outputStream?.streamStatus == .closed)
    }

    @Test(arguments: ["network", "data", "HEAD"])
    func `an empty body waits for the reader too`(what: String) async throws {
        let path = try folder.pipe()
        let operation: CountedOperation
        switch what {
        case "network": operation = self.operation(world.server.url("/bytes/0"))
        case "data": operation = try self.operation(#require(URL(string: "data:text/plain,")))
        default: operation = try self.operation(folder.write("body", Self.body), "HEAD")
        }
        operation.outputStream = OutputStream(toFileAtPath: path, append: false)
        let end = operation.endSignal()
        operation.start()
        try await world.others()
        #expect(end.count == 0)
        #expect(await onNewThread { everything(in: path) }.isEmpty)
        await end.wait()
        #expect(operation.error == nil)
    }

    @Test(arguments: Origin.allCases)
    func `a cancel while the rest waits ends the operation at once`(origin: Origin) async throws {
        let (path, reader) = try fullPipe()
        defer { close(reader) }
        let operation = try await operation(origin, to: path)
        let end = try await begin(operation)
        operation.cancel()
        await end.wait()
        #expect((operation.error as? URLError)?.code == .cancelled)
        #expect(operation.outputStream == nil)
    }

    @Test(arguments: Origin.allCases, [true, false])
    func `a reader that takes no more is a time-out`(origin: Origin, isIdle: Bool) async throws {
        let (path, reader) = try fullPipe()
        defer { close(reader) }
        let operation = try await operation(origin, to: path)
        if isIdle {
            operation.request.timeoutInterval = 1
        } else {
            operation.timeoutIntervalForResource = 1
        }
        await operation.run()
        #expect((operation.error as? URLError)?.code == .timedOut)
    }

    @Test func `a reader that goes away is the error, wherever the bytes come from`() async {
        await #expect(processExitsWith: .success) {
            for origin in Origin.allCases {
                let own = PipeEndTests()
                let (path, reader) = try own.fullPipe()
                let operation = try await own.operation(origin, to: path)
                let stored = Signal()
                operation.setDownloadProgressBlock { _, _, _ in stored.fire() }
                let end = try await own.begin(operation)
                await stored.wait(for: 1, "bytes in the pipe")
                close(reader)
                await end.wait()
                let error = operation.error.map { $0 as NSError }
                try #require(error?.domain == NSPOSIXErrorDomain && error?.code == Int(EPIPE))
            }
        }
    }

    @Test(arguments: Origin.allCases)
    func `a full device is the error`(origin: Origin) async throws {
        for _ in 0..<10 {
            let operation = try await operation(origin, to: "/dev/full")
            await operation.run()
            let error = operation.error.map { $0 as NSError }
            #expect(
                error?.domain == NSPOSIXErrorDomain && error?.code == Int(ENOSPC),
                "\(error.map { "\($0)" } ?? "no error")")
        }
    }

    @Test func `a stream that has ended takes no thread from others`() async {
        await #expect(processExitsWith: .success) {
            let own = PipeEndTests()
            for _ in 0..<(2 * WorkerRule.streams.limit) {
                let operation = try own.operation(#require(URL(string: "data:,bytes")))
                operation.outputStream = OutputStream(toFileAtPath: "/dev/null", append: false)
                let end = operation.endSignal()
                operation.start()
                await end.wait()
                try #require(operation.error == nil)
            }
        }
    }

    // MARK: A resumed download that has everything

    /// An operation that was paused with every byte on its way into a pipe, and hears after its resume that the
    /// server has no more.
    private func complete(
        to path: String, timeout: TimeInterval = 30
    ) async throws -> (CountedOperation, Signal) {
        let operation = operation(world.server.url("/whole"))
        operation.outputStream = OutputStream(toFileAtPath: path, append: false)
        let end = try await begin(operation)
        operation.pause()
        await world.settle()
        operation.request.timeoutInterval = timeout
        operation.resume()
        try #require(await operation.hears(2))
        return (operation, end)
    }

    @Test func `after a 416 a cancel ends at once, and a reader that takes nothing is a time-out`()
        async throws
    {
        for isCancelled in [true, false] {
            let (path, reader) = try fullPipe()
            defer { close(reader) }
            let (operation, end) = try await complete(to: path, timeout: isCancelled ? 30 : 2)
            if isCancelled { operation.cancel() }
            await end.wait()
            #expect(
                (operation.error as? URLError)?.code == (isCancelled ? .cancelled : .timedOut))
            #expect(operation.outputStream == nil)
        }
    }

    @Test func `after a 416 a reader that goes away is the error`() async {
        await #expect(processExitsWith: .success) {
            let own = PipeEndTests()
            let (path, reader) = try own.fullPipe()
            let (operation, end) = try await own.complete(to: path)
            close(reader)
            await end.wait()
            let error = operation.error.map { $0 as NSError }
            try #require(error?.domain == NSPOSIXErrorDomain && error?.code == Int(EPIPE))
        }
    }
}

/// An operation that says how much it was given.
private final class CountedOperation: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because it restates the superclass; both counts have locks of their own.
    private let bytes = Watched(0)
    private let responses = Watched(0)

    func receives(_ count: Int) async -> Bool { await bytes.reaches { $0 >= count } }

    func hears(_ count: Int) async -> Bool { await responses.reaches { $0 >= count } }

    override func connection(_ connection: URLConnection, didReceive response: URLResponse) {
        super.connection(connection, didReceive: response)
        responses.change { $0 += 1 }
    }

    override func connection(_ connection: URLConnection, didReceive data: Data) {
        super.connection(connection, didReceive: data)
        bytes.change { $0 += data.count }
    }
}
