import TestSupport

@testable import OperationNetworking

/// What comes of an operation that was paused: never part of a body as the whole (wounds 9, 17,
/// 44).
@Suite("A second try of an HTTP operation", .timeLimit(.minutes(5)))
struct HTTPRetryTests {
    private static let whole = Data((0..<100).map { UInt8($0) })
    private let world = TestWorld()

    init() {
        world.server.add("/part") { request in
            let own = [("ETag", "\"a\""), ("Content-Type", "text/plain")]
            let range = request.headers["Range"].map { $0.dropFirst("bytes=".count).dropLast() }
            if let first = range.flatMap({ Int($0) }) {
                let field = ("Content-Range", "bytes \(first)-99/100")
                return .data(Self.whole[first...], status: 206, headers: own + [field])
            }
            let head = ScriptedResponse.head(200, own + [("Content-Length", "100")])
            return ScriptedResponse([
                .bytes(head), .bytes(Self.whole.prefix(40)), .wait(gate: "rest"),
                .bytes(Self.whole.dropFirst(40)),
            ])
        }
    }

    private func pausedAt40(_ request: URLRequest? = nil) async -> HTTPRequestOperation {
        let operation = world.httpOperation(request ?? world.request("/part"))
        let stored = Signal()
        operation.setDownloadProgressBlock { _, total, _ in if total == 40 { stored.fire() } }
        operation.start()
        await stored.wait(for: 1, "40 bytes")
        operation.pause()
        return operation
    }

    private func run(_ operation: URLConnectionOperation?) async {
        guard let operation else { return }
        operation.networkThread = world.thread
        await operation.run()
    }

    @Test func `a copy of a paused one has its range and loads the whole`() async throws {
        let operation = await pausedAt40()
        let copy = try #require(operation.copy() as? HTTPRequestOperation)
        #expect(copy.request.value(forHTTPHeaderField: "Range") == "bytes=40-")
        world.server.release("rest")
        await run(copy)
        #expect(copy.error == nil)
        #expect(copy.responseData == Self.whole)
        operation.cancel()
    }

    @Test func `a copy that is made in the failure of a cancelled one loads the whole`() async {
        let operation = await pausedAt40()
        let (end, copies) = (Signal(), Log<HTTPRequestOperation>())
        operation.setCompletionBlock(
            success: nil,
            failure: { operation, _ in
                if let copy = operation.copy() as? HTTPRequestOperation { copies.add(copy) }
                end.fire()
            })
        operation.cancel()
        await end.wait()
        world.server.release("rest")
        await run(copies.all.first)
        #expect(copies.all.first?.responseData == Self.whole)
    }

    @Test func `an archive of a paused one has its range and loads the whole`() async throws {
        let operation = await pausedAt40()
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: operation, requiringSecureCoding: true)
        let copy = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: HTTPRequestOperation.self, from: data))
        #expect(copy.request.value(forHTTPHeaderField: "Range") == "bytes=40-")
        #expect(copy.request.value(forHTTPHeaderField: "If-Range") == "\"a\"")
        world.server.release("rest")
        await run(copy)
        #expect(copy.responseData == Self.whole)
        operation.cancel()
    }

    @Test func `a copy of a finished one that was paused asks for all bytes by a range`()
        async throws
    {
        let operation = HTTPRequestOperation(request: world.request("/ok"))
        await run(operation)
        operation.pause()
        let copy = try #require(operation.copy() as? HTTPRequestOperation)
        await run(copy)
        #expect(world.server.requests.last?.headers["Range"] == "bytes=0-")
        #expect(copy.responseData == operation.responseData)
    }

    @Test func `a body stream set during a pause is the one that is sent`() async {
        var request = world.request("/part")
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(data: Data(repeating: 65, count: 10))
        let operation = await pausedAt40(request)
        let end = operation.endSignal()
        operation.inputStream = InputStream(data: Data(repeating: 66, count: 1_000))
        // A result that arrives before the pause takes effect would win.
        #expect(world.server.waitUntil(timeout: 20) { seen, _ in seen.connectionsOpen == 0 })
        world.server.release("rest")
        operation.resume()
        await end.wait()
        #expect(operation.error == nil)
        #expect(operation.responseData == Self.whole)
        // The answer may come before the last of the body was read.
        #expect(world.server.waitUntil(timeout: 20) { _, log in log.last?.bodyLength == 1_000 })
    }

    @Test(arguments: ["/unread", "/once", "/moved"])
    func `a form paused in the middle is sent whole after it, also to a challenge or redirect`(
        path: String
    ) async throws {
        world.server.add("/unread", beforeBody: true) { _ in
            .text("read").after(.wait(gate: "upload"), .readBody)
        }
        world.server.add("/target") { .text("\($0.bodyLength)") }
        world.server.add("/once", beforeBody: true) { request in
            if request.headers["Authorization"] != nil { return .text("in").after(.readBody) }
            let challenge = ("WWW-Authenticate", "Basic realm=\"r\"")
            return .status(401, headers: [challenge]).after(.wait(gate: "upload"), .readBody)
        }
        world.server.add("/moved", beforeBody: true) { _ in
            .redirect(to: "/target", status: 307).after(.wait(gate: "upload"), .readBody)
        }
        let request = try HTTPRequestSerializer().multipartFormRequest(
            method: "POST", urlString: world.address(path), parameters: ["a": "b"]
        ) { form in
            form.appendPart(
                fileData: Data(repeating: 65, count: 8 << 20), name: "f", fileName: "f",
                mimeType: "text/plain")
        }
        let length = request.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
        let operation = world.httpOperation(request)
        operation.credential = URLCredential(user: "u", password: "p", persistence: .none)
        let (end, sent) = (operation.endSignal(), Signal())
        operation.setUploadProgressBlock { _, _, _ in sent.fire() }
        operation.start()
        await sent.wait(for: 1, "a piece of the form")
        operation.pause()
        await world.settle()
        world.server.release("upload")
        operation.resume()
        await end.wait()
        #expect(operation.error == nil)
        #expect(operation.response?.statusCode == 200)
        #expect(length != nil && world.server.requests.last?.bodyLength == length)
    }
}
