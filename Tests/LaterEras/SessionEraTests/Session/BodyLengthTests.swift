import OperationNetworking
import SessionEra
import TestSupport

@Suite("How a body says where it ends: RFC 9112 section 6", .timeLimit(.minutes(1)))
struct BodyLengthTests {
    private let world = TestWorld.sessions()

    private func request(_ path: String, _ body: InputStream, length: String? = nil) -> URLRequest {
        var request = world.request(path, "POST")
        request.httpBodyStream = body
        request.setValue(length, forHTTPHeaderField: "Content-Length")
        request.timeoutInterval = 4
        return request
    }

    private func form(_ path: String) throws -> URLRequest {
        var request = try HTTPRequestSerializer().multipartFormRequest(
            method: "POST", urlString: world.address(path),
            parameters: ["a": "b"]
        ) { $0.appendPart(formData: Data(count: 100_000), name: "zeros") }
        request.timeoutInterval = 4
        return request
    }

    private func upload(_ request: URLRequest) async -> Outcome {
        await world.outcome {
            world.manager.uploadTask(withStreamedRequest: request, completionHandler: $0)
        }
    }

    /// `Content-Length` and `Transfer-Encoding` as the server saw them in the last request.
    private var framing: [String?] {
        let fields = world.server.requests.last?.headers
        return [fields?["Content-Length"], fields?["Transfer-Encoding"]]
    }

    // MARK: - One of the two

    @Test func `a stream goes out with the length its request declares, by each kind of task`()
        async
    {
        let body = Data("12345".utf8)
        #expect(await upload(request("/upload", InputStream(data: body), length: "5")).error == nil)
        #expect(framing == ["5", nil])
        let request = request("/upload", InputStream(data: body), length: "5")
        #expect(await world.data(request).error == nil)
        #expect(framing == ["5", nil])
        #expect(world.server.requests.map(\.body) == [body, body])
    }

    @Test func `a stream of unknown length goes out in chunks, without a length`() async {
        let body = Data("12345".utf8)
        for length in [nil, "five", "-5"] {
            let request = request("/upload", InputStream(data: body), length: length)
            #expect(await upload(request).error == nil)
            #expect(framing == [nil, "chunked"])
            #expect(world.server.requests.last?.body == body)
        }
    }

    @Test func `a caller's own chunks go without a length`() async {
        var request = request("/upload", InputStream(data: Data("12345".utf8)), length: "5")
        request.setValue("chunked", forHTTPHeaderField: "Transfer-Encoding")
        #expect(await upload(request).error == nil)
        #expect(framing == [nil, "chunked"])
    }

    @Test func `the task shows the request as the caller made it`()
        async throws
    {
        let request = request("/upload", InputStream(data: Data("12345".utf8)), length: "5")
        let task = world.manager.uploadTask(withStreamedRequest: request)
        defer { task.cancel() }
        for shown in [task.originalRequest, task.currentRequest] {
            #expect(shown?.allHTTPHeaderFields == request.allHTTPHeaderFields)
        }
    }

    // MARK: - Streams of another length

    @Test func `a stream's own error is the task's`() async throws {
        let file = TestWorld.freshPlace()
        try Data(count: 50_000).write(to: file)
        let request = try HTTPRequestSerializer().multipartFormRequest(
            method: "POST", urlString: world.address("/upload"), parameters: nil
        ) { try? $0.appendPart(fileURL: file, name: "file") }
        try FileManager.default.removeItem(at: file)
        let error = await upload(request).error
        // URLConnection's error has it beneath.
        let own = (error as? URLError)?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(error is MultipartError || own?.domain == MultipartError.errorDomain)
    }

    // MARK: - Sent again, and not any more

    @Test func `after a challenge a form is sent again whole, with its length`() async throws {
        world.manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
            challenge.previousFailureCount == 0
                ? .use(URLCredential(user: "user", password: "pass", persistence: .none)) : .cancel
        }
        #expect(await upload(try form("/basic?user=user&pass=pass")).text == "authorized")
        let request = try #require(world.server.requests.last)
        #expect(request.bodyLength > 100_000)
        #expect(framing == ["\(request.bodyLength)", nil])
    }

    @Test func `a redirect that drops the body drops the fields that described it`() async throws {
        for status in [302, 303] {
            let path = "/redirect?to=/headers&status=\(status)"
            #expect(await upload(try form(path)).status == 200)
            let request = try #require(world.server.requests.last)
            #expect(request.method == "GET")
            #expect(request.headers["Content-Type"] == nil)
            #expect(framing == [nil, nil])
        }
        // The caller's own choice after a 307, which would need the body.
        world.manager.setTaskWillPerformHTTPRedirectionBlock { _, _, _, request in
            let length = request.value(forHTTPHeaderField: "Content-Length")
            #expect(length != nil)
            #expect(request.value(forHTTPHeaderField: "Transfer-Encoding") == nil)
            var request = request
            request.httpMethod = "GET"
            request.httpBodyStream = nil
            return request
        }
        #expect(await upload(try form("/redirect?to=/headers&status=307")).status == 200)
        #expect(framing == [nil, nil])
    }
}
