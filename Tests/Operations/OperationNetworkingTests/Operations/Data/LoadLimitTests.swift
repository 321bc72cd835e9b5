import CurlConnection
import OperationNetworking
import TestSupport

/// What one operation may bring: promise 11, and the errors of `LoadLimits`.
@Suite("Limits of an operation", .timeLimit(.minutes(1)))
struct LoadLimitTests {
    private let world = TestWorld(routes: .pieces)

    init() {
        world.server.add("/endless") { _ in .endless }
        world.server.add("/bomb") { _ in Self.compressed(Compressed.bomb) }
        world.server.add("/puff") { _ in Self.compressed(Self.puff) }
    }

    private static func compressed(_ body: Data) -> ScriptedResponse {
        .data(body, headers: [("Content-Encoding", "gzip")])
    }

    /// 1,000,000 zero bytes, less than the size from which on the ratio is asked.
    private static let puff =
        Data([
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xED, 0xC1, 1, 1, 0, 0, 0, 0x82, 0x20, 0xFF, 0xAF,
            0x6E, 0x48, 0x40, 1,
        ]) + Data(count: 968) + Data([0xAF, 6, 0x9E, 0xCB, 0x79, 0x12, 0x40, 0x42, 0x0F, 0])

    private func operation(
        _ path: String, _ change: (inout LoadLimits) -> Void = { _ in }
    ) -> URLConnectionOperation {
        let operation = world.plainOperation(path)
        operation.configuration.responseCache = nil
        change(&operation.configuration.limits)
        return operation
    }

    private func limit(_ operation: URLConnectionOperation) -> LoadLimitError? {
        (operation.error as? URLError)?.underlyingError as? LoadLimitError
    }

    // MARK: Memory

    @Test func `a body over the memory's limit is -1103, and its connection is closed`() async {
        let operation = operation("/endless") { $0.bodyInMemory = 1 << 20 }
        await operation.run()
        #expect(operation.errorCode?.rawValue == -1103)
        #expect(limit(operation)?.limit == .bodyInMemory)
        #expect(limit(operation)?.value == 1 << 20)
        #expect((operation.error as? URLError)?.failingURL == world.server.url("/endless"))
        #expect(operation.responseData == nil)
        #expect(operation.totalBytesRead <= 1 << 20)
        #expect(await world.sees { $0.connectionsOpen == 0 })
        #expect(world.server.statistics.bytesSent < 64 << 20)
    }

    @Test func `exactly the limit is no excess, one byte more is`() async {
        let fits = operation("/three/sized") { $0.bodyInMemory = 18 }
        await fits.run()
        #expect(fits.responseData == Pieces.whole)
        for path in ["/three/sized", "/three/chunked"] {
            let over = operation(path) { $0.bodyInMemory = 17 }
            await over.run()
            #expect(limit(over)?.limit == .bodyInMemory, "\(path)")
            #expect(over.responseData == nil)
        }
    }

    @Test func `unless changed 64 MiB are collected and no byte more`() async {
        let whole = Data(count: 64 << 20)
        world.server.add("/whole") { _ in .data(whole) }
        world.server.add("/more") { _ in .chunked([whole, Data([1])]) }
        let fits = operation("/whole")
        await fits.run()
        #expect(fits.responseData?.count == 64 << 20)
        let over = operation("/more")
        await over.run()
        #expect(limit(over)?.value == 64 << 20)
    }

    @Test func `the decoded bytes count, not those on the wire`() async {
        let operation = operation("/puff") { $0.bodyInMemory = 500_000 }
        await operation.run()
        #expect(limit(operation)?.limit == .bodyInMemory)
    }

    @Test func `an output stream takes more than the memory may`() async {
        let operation = operation("/three/chunked") { $0.bodyInMemory = 5 }
        operation.outputStream = OutputDouble(.init())
        await operation.run()
        #expect(operation.error == nil)
        #expect(operation.totalBytesRead == 18)
    }

    @Test func `a memory stream is memory, whoever made it`() async {
        let given = operation("/three/chunked") { $0.bodyInMemory = 5 }
        given.outputStream = .toMemory()
        let looked = operation("/three/chunked") { $0.bodyInMemory = 5 }
        _ = looked.outputStream
        for operation in [given, looked] {
            await operation.run()
            #expect(limit(operation)?.limit == .bodyInMemory)
        }
    }

    @Test func `a limit of 0 leaves the empty body`() async {
        let empty = operation("/none") { $0.bodyInMemory = 0 }
        world.server.add("/none") { _ in .data(Data()) }
        await empty.run()
        #expect(empty.error == nil)
        #expect(empty.responseData == Data())
    }

    @Test func `the limit holds over pause and resume`() async throws {
        let operation = operation("/three/held") { $0.bodyInMemory = 10 }
        let end = operation.endSignal()
        operation.start()
        #expect(await world.reached("rest"))
        #expect(await stored(7, by: operation))
        operation.pause()
        await world.settle()
        world.server.release("rest")
        operation.resume()
        await end.wait()
        #expect(limit(operation)?.limit == .bodyInMemory)
    }

    private func stored(_ count: Int64, by operation: URLConnectionOperation) async -> Bool {
        for _ in 0..<10_000 where operation.totalBytesRead < count {
            await world.settle()
        }
        return operation.totalBytesRead >= count
    }

    // MARK: Ratio

    @Test func `a small answer that unpacks into a large one fails`() async {
        let operation = operation("/bomb")
        await operation.run()
        #expect(operation.errorCode == .dataLengthExceedsMaximum)
        #expect(limit(operation)?.limit == .decompressionRatio)
        #expect(limit(operation)?.value == 200)
        #expect(operation.responseData == nil)
    }

    @Test func `without a ratio, below 1 MiB, and into a stream it is decoded whole`() async {
        let unlimited = operation("/bomb") { $0.decompressionRatio = nil }
        let small = operation("/puff") { $0.decompressionRatio = 1 }
        let streamed = operation("/bomb")
        streamed.outputStream = OutputDouble(.init())
        for operation in [unlimited, small, streamed] {
            await operation.run()
            #expect(operation.error == nil)
        }
        #expect(unlimited.responseData == Data(count: Compressed.bombCount))
        #expect(small.responseData == Data(count: 1_000_000))
        #expect(streamed.totalBytesRead == Int64(Compressed.bombCount))
    }

    /// Its bytes have all come before they are decoded.
    @Test(arguments: [true, false])
    func `a well-compressed body is whole in a file and in a pipe`(isPipe: Bool) async throws {
        let folder = TemporaryFolder()
        let path = folder.url.appendingPathComponent("body").path
        if isPipe { try #require(mkfifo(path, 0o600) == 0) }
        let operation = operation("/bomb")
        operation.outputStream = OutputStream(toFileAtPath: path, append: false)
        let end = operation.endSignal()
        operation.start()
        let read = { @Sendable in
            (try? FileHandle(forReadingAtPath: path)?.readToEnd()) ?? Data()
        }
        let piped = isPipe ? await onNewThread(read) : nil
        await end.wait()
        #expect(operation.error == nil, "\(operation.error as Any)")
        #expect(operation.totalBytesRead == Int64(Compressed.bombCount))
        let isWhole = (piped ?? read()) == Data(count: Compressed.bombCount)
        #expect(isWhole)
    }

    // MARK: Head and redirects

    @Test func `a head over the limit fails before its body is asked for`() async {
        world.server.add("/head") { request in
            .text("hello", headers: [("X-Long", String(repeating: "x", count: 2_000))])
        }
        let over = operation("/head") { $0.head = 2_000 }
        await over.run()
        #expect(over.errorCode == .dataLengthExceedsMaximum)
        #expect(limit(over)?.limit == .head)
        #expect(limit(over)?.value == 2_000)
        #expect(over.response == nil)
        let fits = operation("/head") { $0.head = 2_200 }
        await fits.run()
        #expect(fits.error == nil)
    }

    @Test func `a redirect over the limit is -1007 and is not followed`() async {
        for count in [0, 2] {
            world.server.resetLog()
            let follows = operation("/redirect-chain?n=\(count)") { $0.redirects = count }
            if count > 0 {
                await follows.run()
                #expect(follows.error == nil)
            }
            let over = operation("/redirect-chain?n=\(count + 1)") { $0.redirects = count }
            world.server.resetLog()
            await over.run()
            #expect(over.errorCode?.rawValue == -1007)
            #expect(limit(over)?.limit == .redirects)
            #expect(limit(over)?.value == Int64(count))
            #expect(world.server.requests.count == count + 1)
        }
    }

    @Test func `unless changed the limits are those of the table`() {
        let limits = URLConnectionOperation(request: world.request("/ok")).configuration.limits
        #expect(limits.redirects == 20)
        #expect(limits.bodyInMemory == 64 << 20)
        #expect(limits.decompressionRatio == 200)
        #expect(limits.head == 307_200)
    }

    @Test func `an error names the setting that would allow more`() async {
        let over = operation("/three/sized") { $0.bodyInMemory = 3 }
        await over.run()
        #expect(over.error?.localizedDescription.contains("limits.bodyInMemory") == true)
        let error = limit(over).map { $0 as NSError }
        #expect(error?.domain == "CurlConnection.limit")
        #expect(error?.code == 2)
    }

    // MARK: Synchronous

    @Test func `a synchronous request has the same limit`() async {
        let body = Data(count: (64 << 20) + 1)
        world.server.add("/more") { _ in .data(body) }
        let url = world.server.url("/more")
        let error = await onNewThread { () -> URLError? in
            do {
                _ = try URLConnection.sendSynchronousRequest(URLRequest(url: url))
                return nil
            } catch {
                return error as? URLError
            }
        }
        #expect(error?.code == .dataLengthExceedsMaximum)
        #expect((error?.underlyingError as? LoadLimitError)?.limit == .bodyInMemory)
        #expect(await world.sees { $0.connectionsOpen == 0 })
    }

    // MARK: Handing down

    @Test func `copies and a manager's operations have the configuration`() throws {
        let manager = HTTPRequestOperationManager(baseURL: world.server.baseURL)
        manager.configuration.limits.bodyInMemory = 17
        manager.configuration.httpMaximumConnectionsPerHost = 3
        manager.configuration.responseCache = nil
        let request = world.request("/three/sized")
        let first = manager.httpRequestOperation(with: request, success: nil, failure: nil)
        let copy = try #require(first.copy() as? HTTPRequestOperation)
        let other = try #require(manager.copy() as? HTTPRequestOperationManager)
        let second = other.httpRequestOperation(with: request, success: nil, failure: nil)
        for operation in [first, copy, second] {
            #expect(operation.configuration.limits.bodyInMemory == 17)
            #expect(operation.configuration.httpMaximumConnectionsPerHost == 3)
            #expect(operation.configuration.responseCache == nil)
        }
        // And what is changed later counts for later operations alone.
        manager.configuration.limits.bodyInMemory = 5
        #expect(first.configuration.limits.bodyInMemory == 17)
        #expect(other.configuration.limits.bodyInMemory == 17)
    }
}
