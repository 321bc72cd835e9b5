import OperationNetworking
import TestSupport

@Suite("Progress of an operation", .timeLimit(.minutes(5)))
struct TransferProgressTests {
    /// One call of a progress block.
    struct Step: Sendable, Equatable {
        let bytes: Int64
        let total: Int64
        let expected: Int64
    }

    private static let file = Data((0..<900).map { UInt8(truncatingIfNeeded: $0) })
    private let world = TestWorld(routes: .pieces)

    init() {
        world.server.add("/resumable") { Self.resumable($0, etag: "\"one\"") }
        world.server.add("/unmarked") { Self.resumable($0, etag: nil) }
    }

    /// A third and then a gate; the rest to a range that fits.
    private static func resumable(_ request: RecordedRequest, etag: String?) -> ScriptedResponse {
        let tags = etag.map { [("ETag", $0)] } ?? []
        if request.headers["Range"] == "bytes=300-", request.headers["If-Range"] == etag {
            let fields = [("Content-Length", "600"), ("Content-Range", "bytes 300-899/900")]
            return ScriptedResponse([
                .bytes(ScriptedResponse.head(206, fields + tags) + file.dropFirst(300))
            ])
        }
        let head = ScriptedResponse.head(200, [("Content-Length", "900")] + tags)
        return ScriptedResponse([
            .bytes(head + file.prefix(300)), .wait(gate: "rest"), .bytes(Data(file.dropFirst(300))),
        ])
    }

    private func download(_ operation: URLConnectionOperation) -> Log<Step> {
        let log = Log<Step>()
        operation.setDownloadProgressBlock {
            #expect(MainQueue.isCurrent)
            log.add(Step(bytes: $0, total: $1, expected: $2))
        }
        return log
    }

    private func upload(_ operation: URLConnectionOperation) -> Log<Step> {
        let log = Log<Step>()
        operation.setUploadProgressBlock {
            #expect(MainQueue.isCurrent)
            log.add(Step(bytes: $0, total: $1, expected: $2))
        }
        return log
    }

    /// Every piece counts once, totals go up, and no total is above what is expected.
    private func expectSound(_ steps: [Step], total: Int64, expected: Int64) {
        var sum: Int64 = 0
        for step in steps {
            sum += step.bytes
            #expect(step.bytes > 0)
            #expect(step.total == sum)
            #expect(step.expected == expected)
            #expect(expected < 0 || step.total <= expected)
        }
        #expect(sum == total)
    }

    @Test
    func `download totals go up to the whole, which is known from a length (PR-1, wound 56)`() async
    {
        let operation = world.plainOperation("/bytes/1000000")
        let log = download(operation)
        await operation.run()
        expectSound(log.all, total: 1_000_000, expected: 1_000_000)
        #expect(operation.totalBytesRead == 1_000_000)
    }

    @Test(
        arguments: ["/three/chunked", "/gzip", "/deflate", "/no-length?size=5000"])
    func `the whole is -1 where the length is not known: chunked, coded, until the end (PR-3)`(
        path: String
    ) async {
        let operation = world.plainOperation(path)
        let log = download(operation)
        await operation.run()
        #expect(operation.error == nil)
        let count = operation.responseData?.count ?? -1
        expectSound(log.all, total: Int64(count), expected: -1)
    }

    @Test
    func `an empty body makes no progress`() async {
        let operation = world.plainOperation("/bytes/0")
        let log = download(operation)
        await operation.run()
        #expect(log.all.isEmpty)
    }

    @Test
    func `all progress comes before a completion on main (PR-5)`() async {
        let operation = world.plainOperation("/bytes/1000000")
        let log = download(operation)
        let atEnd = Log<Int64>()
        let end = Signal()
        operation.completionBlock = {
            atEnd.add(log.all.last?.total ?? -1)
            end.fire()
        }
        operation.start()
        await end.wait()
        #expect(atEnd.all == [1_000_000])
    }

    @Test
    func `into a stream, bytes count when they are stored (PR-2)`() async {
        let operation = world.plainOperation("/three/sized")
        operation.outputStream = OutputDouble(.init(takes: [5, 4, 3], failsAt: 11))
        let log = download(operation)
        await operation.run()
        #expect(operation.error != nil)
        #expect(operation.totalBytesRead <= 11)
        #expect(log.all.allSatisfy { $0.total <= 11 && $0.expected == 18 })
    }

    private func paused(_ path: String, _ stream: OutputStream?) async -> (
        URLConnectionOperation, Log<Step>, Signal
    ) {
        let operation = world.plainOperation(path)
        operation.outputStream = stream
        let log = Log<Step>()
        let begun = Signal()
        operation.setDownloadProgressBlock {
            log.add(Step(bytes: $0, total: $1, expected: $2))
            begun.fire()
        }
        let end = operation.endSignal()
        operation.start()
        await begun.wait()
        operation.pause()
        await world.settle()
        world.server.release("rest")
        operation.resume()
        return (operation, log, end)
    }

    @Test(
        arguments: [true, false])
    func `after a resume the totals go on and the whole is the whole file (wound 56)`(
        intoStream: Bool
    ) async {
        let stream = intoStream ? OutputDouble(.init()) : nil
        let (operation, log, end) = await paused("/resumable", stream)
        await end.wait()
        #expect(operation.error == nil)
        #expect((operation.response as? HTTPURLResponse)?.statusCode == 206)
        #expect((stream?.stored ?? operation.responseData) == Self.file)
        expectSound(log.all, total: 900, expected: 900)
        #expect(operation.totalBytesRead == 900)
    }

    @Test
    func `a file without a validator starts over; no total is above the whole (wound 56)`() async {
        let (operation, log, end) = await paused("/unmarked", nil)
        await end.wait()
        #expect(operation.error == nil)
        #expect(operation.responseData == Self.file)
        #expect(log.all.allSatisfy { $0.expected == 900 && $0.total <= 900 && $0.bytes > 0 })
        #expect(log.all.last?.total == 900)
        #expect(operation.totalBytesRead == 900)
    }

    @Test(
        arguments: [
            [("Content-Range", "bytes 10-9223372036854775806/*"), ("Content-Length", most)],
            [("Content-Range", "bytes 10-9223372036854775807/*"), ("Content-Length", most)],
            [("Content-Range", "bytes 10-19/20"), ("Content-Length", most)],
            [("Content-Range", "bytes 10-19/20"), ("Content-Range", "bytes 0-19/20")],
        ] as [[(String, String)]])
    func
        `a part with an invalid length is refused, and no impossible total is reported`(
            fields: [(String, String)]
        ) async
    {
        let isTwice = fields.count { $0.0 == "Content-Range" } > 1
        let tag = ("ETag", "\"one\"")
        world.server.add("/impossible") { request in
            guard request.headers["Range"] == "bytes=10-" else {
                return ScriptedResponse([
                    .bytes(ScriptedResponse.head(200, [tag, ("Transfer-Encoding", "chunked")])),
                    .bytes(ScriptedResponse.chunk(Data(count: 10))), .wait(gate: "rest"), .close,
                ])
            }
            let head = ScriptedResponse.head(
                206, fields + [tag] + (isTwice ? [("Content-Length", "10")] : []))
            return ScriptedResponse([.bytes(head + Data(count: 10))]).then(.close)
        }
        let (operation, log, end) = await paused("/impossible", nil)
        await end.wait()
        #expect(operation.errorCode == .badServerResponse)
        #expect(operation.totalBytesRead == 10)
        #expect(log.all.allSatisfy { $0.expected == -1 && $0.total == 10 })
    }

    @Test
    func `a rest that ends at the largest position there is makes no whole, and no success`() async
    {
        world.server.add("/last") { request in
            let tag = ("ETag", "\"one\"")
            guard request.headers["Range"] == "bytes=10-" else {
                return ScriptedResponse([
                    .bytes(ScriptedResponse.head(200, [tag, ("Transfer-Encoding", "chunked")])),
                    .bytes(ScriptedResponse.chunk(Data(count: 10))), .wait(gate: "rest"), .close,
                ])
            }
            let fields = [
                ("Content-Range", "bytes 10-9223372036854775806/*"),
                ("Content-Length", "9223372036854775797"),
            ]
            return ScriptedResponse([
                .bytes(ScriptedResponse.head(206, fields + [tag]) + Data(count: 10))
            ]).then(.close)
        }
        let (operation, log, end) = await paused("/last", nil)
        await end.wait()
        #expect(operation.errorCode == .networkConnectionLost)
        #expect(log.all.last?.expected == .max)
    }

    @Test(arguments: [9, 11])
    func `a chunked rest that is not as long as its range says is no success`(count: Int) async {
        world.server.add("/chunked-rest") { request in
            let tag = ("ETag", "\"one\"")
            guard request.headers["Range"] == "bytes=10-" else {
                return ScriptedResponse([
                    .bytes(ScriptedResponse.head(200, [tag, ("Transfer-Encoding", "chunked")])),
                    .bytes(ScriptedResponse.chunk(Data(count: 10))), .wait(gate: "rest"), .close,
                ])
            }
            let head = ScriptedResponse.head(
                206, [tag, ("Content-Range", "bytes 10-19/*"), ("Transfer-Encoding", "chunked")])
            return ScriptedResponse([
                .bytes(head + ScriptedResponse.chunk(Data(count: count)) + Data("0\r\n\r\n".utf8))
            ])
        }
        let (operation, _, end) = await paused("/chunked-rest", nil)
        await end.wait()
        #expect(operation.errorCode == .networkConnectionLost)
    }

    private static let most = "9223372036854775807"

    @Test(
        arguments: [1, 18, 300_000])
    func `uploaded data: totals go up to the length of the body (PR-4)`(count: Int) async {
        var request = world.request("/echo-body")
        request.httpMethod = "POST"
        request.httpBody = Data(repeating: 7, count: count)
        let operation = world.plainOperation(request)
        let log = upload(operation)
        await operation.run()
        #expect(operation.error == nil)
        expectSound(log.all, total: Int64(count), expected: Int64(count))
    }

    @Test(
        arguments: [nil, 18])
    func `an uploaded stream: the whole is its declared length, else -1 (PR-4)`(declared: Int?)
        async
    {
        var request = world.request("/echo-body")
        request.httpMethod = "POST"
        if let declared { request.setValue("\(declared)", forHTTPHeaderField: "Content-Length") }
        let operation = world.plainOperation(request)
        operation.inputStream = InputDouble(.init(gives: [1, 4, 2, 7]))
        let log = upload(operation)
        await operation.run()
        #expect(operation.error == nil)
        expectSound(log.all, total: 18, expected: declared.map { Int64($0) } ?? -1)
    }

    @Test
    func `a redirected upload ends with the whole body; no total is above it (PR-4)`() async {
        var request = world.request("/redirect?to=/echo-body&status=307")
        request.httpMethod = "POST"
        request.httpBody = Data(repeating: 7, count: 100_000)
        let operation = world.plainOperation(request)
        let log = upload(operation)
        await operation.run()
        #expect(operation.responseData?.count == 100_000)
        #expect(log.all.last?.total == 100_000)
        #expect(log.all.allSatisfy { $0.total <= 100_000 && $0.expected == 100_000 })
    }
}
