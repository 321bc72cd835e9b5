import CurlConnection
import Dispatch
import TestSupport

@testable import OperationNetworking

@Suite("Uploading a form", .timeLimit(.minutes(5)))
struct MultipartUploadTests {
    private let server = LoopbackServer.started()
    private let folder = TemporaryFolder()

    private func request(
        _ path: String, _ parts: @escaping (any MultipartFormData) -> Void
    ) throws -> URLRequest {
        try HTTPRequestSerializer().multipartFormRequest(
            method: "POST", urlString: server.url(path).absoluteString, parameters: ["p": "q"],
            constructingBody: parts)
    }

    /// Data and a file, so that the body takes several reads.
    private func replayable(_ path: String) throws -> URLRequest {
        let file = try folder.write("photo.jpg", Data((0..<200_000).map { UInt8($0 % 251) }))
        return try request(path) {
            $0.appendPart(formData: Data("value".utf8), name: "a")
            try? $0.appendPart(fileURL: file, name: "photo")
        }
    }

    private func oneShot(_ path: String) throws -> URLRequest {
        try request(path) {
            $0.appendPart(
                inputStream: InputStream(data: Data("abc".utf8)), name: "s", fileName: "s",
                length: 3, mimeType: "a/b")
        }
    }

    private func finish(_ operation: URLConnectionOperation) async {
        await withCheckedContinuation { continuation in
            operation.completionBlock = { continuation.resume() }
            operation.start()
        }
    }

    /// A server that answers `first` to the first request on a path, then reads and says so.
    private func answers(_ path: String, first: ScriptedResponse) {
        let calls = Locked(0)
        server.add(path) { _ in
            calls.withLock {
                $0 += 1
                return $0 == 1 ? first : .text("got it")
            }
        }
    }

    private func expectTheSameBytes(as request: URLRequest, times: Int) throws {
        let stream = try #require(request.httpBodyStream as? MultipartBodyStream)
        let bytes = readAll(try stream.freshCopy()).bytes
        let arrived = server.requests
        #expect(arrived.count == times)
        for one in arrived {
            #expect(one.bodyIsComplete)
            #expect(one.body == bytes)
            #expect(one.headers["Content-Length"] == "\(bytes.count)")
            #expect(one.headers["Transfer-Encoding"] == nil)
        }
    }

    @Test func `what is declared arrives`() async throws {
        let request = try replayable("/upload")
        let operation = URLConnectionOperation(request: request)
        await finish(operation)
        #expect(operation.error == nil)
        try expectTheSameBytes(as: request, times: 1)
    }

    @Test func `after a 401 the same bytes are sent again`() async throws {
        let request = try replayable("/basic")
        let operation = URLConnectionOperation(request: request)
        operation.credential = URLCredential(user: "user", password: "pass", persistence: .none)
        await finish(operation)
        #expect(operation.error == nil)
        #expect(operation.responseString == "authorized")
        try expectTheSameBytes(as: request, times: 2)
    }

    @Test(arguments: [307, 308])
    func `after a redirect that keeps the method the same bytes are sent again`(
        status: Int
    ) async throws {
        answers("/moved", first: .redirect(to: "/moved?again", status: status))
        let request = try replayable("/moved")
        let operation = URLConnectionOperation(request: request)
        await finish(operation)
        #expect(operation.responseString == "got it")
        try expectTheSameBytes(as: request, times: 2)
    }

    @Test func `a stream part cannot be sent again, and the error says so`() async throws {
        answers("/moved", first: .redirect(to: "/moved?again", status: 307))
        for path in ["/moved", "/basic"] {
            let operation = URLConnectionOperation(request: try oneShot(path))
            operation.credential = URLCredential(user: "user", password: "pass", persistence: .none)
            await finish(operation)
            let error = try #require(operation.error)
            #expect((error as? MultipartError)?.reason == .streamSpent)
            #expect((error as NSError).code == -1021)
        }
        #expect(server.requests.count == 2)
    }

    @Test func `a stream part is sent once`() async throws {
        let request = try oneShot("/upload")
        let operation = URLConnectionOperation(request: request)
        await finish(operation)
        #expect(operation.error == nil)
        let arrived = server.requests.first?.body ?? Data()
        #expect(arrived.range(of: Data("\r\nabc\r\n".utf8)) != nil)
        let second = URLConnectionOperation(request: request)
        await finish(second)
        #expect((second.error.map { $0 as NSError })?.code == -1021)
        #expect(server.requests.count { $0.bodyIsComplete } == 1)
    }

    @Test func `copies and a request used twice send the same bytes`() async throws {
        let request = try replayable("/upload")
        let first = URLConnectionOperation(request: request)
        let twin = URLConnectionOperation(request: request)
        async let one: Void = finish(first)
        async let other: Void = finish(twin)
        _ = await (one, other)
        let copy = try #require(first.copy() as? URLConnectionOperation)
        await finish(copy)
        for operation in [first, twin, copy] { #expect(operation.error == nil) }
        try expectTheSameBytes(as: request, times: 3)
    }

    @Test func `a file that changed fails the upload with the reason`() async throws {
        let request = try replayable("/upload")
        try Data("short".utf8).write(to: folder.url.appendingPathComponent("photo.jpg"))
        let operation = URLConnectionOperation(request: request)
        await finish(operation)
        let error = try #require(operation.error as? URLError)
        #expect(error.code == .requestBodyStreamExhausted)
        let cause = try #require(error.underlyingError as? MultipartError)
        #expect(cause.reason == .fileChanged)
        #expect(cause.failureReason.contains("photo.jpg"))
        #expect(server.requests.allSatisfy { !$0.bodyIsComplete })
    }

    @Test func `an upload goes on while the main queue is blocked`() async throws {
        let request = try request("/upload") {
            for index in 0..<10 {
                $0.appendPart(formData: Data(repeating: 1, count: 30_000), name: "\(index)")
            }
        }
        let mayGoOn = DispatchSemaphore(value: 0)
        DispatchQueue.main.async { mayGoOn.wait() }
        let operation = URLConnectionOperation(request: request)
        operation.start()
        let length = (request.httpBodyStream as? MultipartBodyStream)?.contentLength
        let server = server
        let hasArrived = await Task.detached {
            server.waitUntil(timeout: 60) { _, requests in
                requests.contains { $0.bodyIsComplete && $0.bodyLength == length }
            }
        }.value
        mayGoOn.signal()
        #expect(hasArrived)
    }

    @Test func `a throttled upload keeps its pace and delays no other`() async throws {
        let throttled = try request("/upload") {
            $0.appendPart(formData: Data(repeating: 1, count: 16_384 * 6), name: "a")
            $0.throttleBandwidth(packetSize: 16_384, delay: 0.1)
        }
        let slow = URLConnectionOperation(request: throttled)
        let start = ContinuousClock.now
        async let slowly: Void = finish(slow)
        let quick = URLConnectionOperation(request: try replayable("/upload"))
        await finish(quick)
        let quickTime = ContinuousClock.now - start
        await slowly
        let slowTime = ContinuousClock.now - start
        #expect(slow.error == nil && quick.error == nil)
        #expect(slowTime >= .milliseconds(600))
        #expect(quickTime < slowTime)
        #expect(server.requests.allSatisfy { $0.bodyIsComplete })
    }
}
