import SessionTasks
import TestSupport

@testable import RequestEra

/// `RequestTests` of 4.9.1, each under the original's name without `test` or `testThat`.
@Suite("RequestTests", .timeLimit(.minutes(2)))
struct OriginalRequestTests {
    private func check(_ request: DataRequest, _ url: String) async {
        let response = await request.ended()
        #expect(request.request?.httpMethod == "GET" && response.response != nil)
        #expect(request.request?.url?.absoluteString == url)
    }

    @Test func `RequestClassMethodWithMethodAndURL`() async throws {
        let world = TestWorld.requests()
        await check(world.get("/get"), world.address("/get"))
    }

    @Test func `RequestClassMethodWithMethodAndURLAndParameters`() async throws {
        let world = TestWorld.requests()
        let request = world.manager.request(world.address("/get"), parameters: ["foo": "bar"])
        await check(request, world.address("/get?foo=bar"))
    }

    @Test func `RequestClassMethodWithMethodURLParametersAndHeaders`() async throws {
        let world = TestWorld.requests()
        let request = world.manager.request(
            world.address("/get"), parameters: ["foo": "bar"], headers: ["Authorization": "123456"])
        await check(request, world.address("/get?foo=bar"))
        #expect(request.request?.value(forHTTPHeaderField: "Authorization") == "123456")
    }

    // MARK: `request` of a request whose adapter throws

    private func hasRequest(
        _ method: String, _ make: (SessionManager, String) throws -> Request
    ) throws {
        let world = TestWorld.requests()
        world.manager.startRequestsImmediately = false
        world.manager.adapter = Adapter { _ in throw PlainError(tag: "expired") }
        let request = try make(world.manager, world.address("/"))
        #expect(request.request?.httpMethod == method)
        #expect(request.request?.url?.absoluteString == world.address("/"))
        #expect(request.response == nil)
    }

    @Test func `DataRequestHasURLRequest`() throws { try hasRequest("GET") { $0.request($1) } }

    @Test func `DownloadRequestHasURLRequest`() throws { try hasRequest("GET") { $0.download($1) } }

    @Test func `UploadDataRequestHasURLRequest`() throws {
        try hasRequest("POST") { $0.upload(Data(), to: $1) }
    }

    @Test func `UploadFileRequestHasURLRequest`() throws {
        let scratch = TemporaryFolder()
        let file = try scratch.write("f", Data("x".utf8))
        try hasRequest("POST") { $0.upload(file, to: $1) }
    }

    @Test func `UploadStreamRequestHasURLRequest`() throws {
        try hasRequest("POST") { $0.upload(InputStream(data: Data()), to: $1) }
    }

    // MARK: Responses

    @Test func `RequestResponse`() async throws {
        let world = TestWorld.requests()
        let request = world.manager.request(world.address("/get"), parameters: ["foo": "bar"])
        let response = await request.ended()
        #expect(response.request != nil && response.response != nil)
        #expect(response.data?.isEmpty == false && response.error == nil)
    }

    @Test func `RequestResponseWithProgress`() async throws {
        let world = TestWorld.requests()
        let values = Log<Double>()
        world.manager.startRequestsImmediately = false
        let request = world.get("/bytes/100000")
        request.downloadProgress { values.add($0.fractionCompleted) }
        request.resume()
        let response = await request.ended()
        await MainQueue.settle()
        #expect(response.data?.count == 100_000)
        #expect(values.all == values.all.sorted() && values.all.last == 1)
    }

    @Test func `RequestResponseWithStream`() async throws {
        let world = TestWorld.requests()
        let pieces = Log<Data>()
        world.manager.startRequestsImmediately = false
        let request = world.get("/bytes/100000").stream { pieces.add($0) }
        request.resume()
        let response = await request.ended()
        #expect(response.data == nil && response.error == nil)
        #expect(pieces.all.reduce(0) { $0 + $1.count } == 100_000)
        #expect(request.progress.fractionCompleted == 1)
    }

    private func form(_ parameters: Parameters) async throws -> [String: String]? {
        let world = TestWorld.requests()
        let request = world.manager.request(
            world.address("/post"), method: .post, parameters: parameters)
        return await request.object()["form"] as? [String: String]
    }

    @Test func `POSTRequestWithUnicodeParameters`() async throws {
        let parameters = [
            "french": "français", "japanese": "日本語", "arabic": "العربية", "emoji": "😃",
        ]
        #expect(try await form(parameters) == parameters)
    }

    @Test func `POSTRequestWithBase64EncodedImages`() async throws {
        let image = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            .base64EncodedString(options: .lineLength64Characters)
        let parameters = ["email": "user@alamofire.org", "png_image": image, "jpeg_image": image]
        #expect(try await form(parameters) == parameters)
    }

    @Test func `RequestExtensionHasAccessToTaskDelegateQueue`() async throws {
        let world = TestWorld.requests()
        let log = Log<String>()
        let request = world.get("/get")
        request.addOperation { log.add("before validation") }
            .validate()
            .addOperation { log.add("after validation") }
            .response { _ in log.add("response") }
        #expect(await request.ended().error == nil)
        #expect(log.all == ["before validation", "after validation", "response"])
    }

    // MARK: Descriptions

    /// The lines of a command.
    private func lines(_ request: Request) -> [String] {
        request.cURLDescription(showingSecrets: true).components(separatedBy: " \\\n\t")
    }

    @Test func `POSTRequestWithCookiesDisabledDebugDescription`() throws {
        let world = TestWorld.requests(routes: .served) { $0.httpShouldSetCookies = false }
        world.manager.startRequestsImmediately = false
        let cookie = HTTPCookie(properties: [
            .domain: "127.0.0.1", .path: "/post", .name: "foo", .value: "bar",
        ])
        let storage = world.manager.taskSession.configuration.httpCookieStorage
        try storage?.setCookie(#require(cookie))
        let request = world.manager.request(world.address("/post"), method: .post)
        #expect(!lines(request).contains { $0.hasPrefix("-b") })
    }

    @Test func `MultipartFormDataRequestWithDuplicateHeadersDebugDescription`() async throws {
        let world = TestWorld.requests {
            $0.httpAdditionalHeaders = ["Content-Type": "text/plain"]
        }
        let request = try #require(
            await withCheckedContinuation {
                (continuation: CheckedContinuation<UploadRequest?, Never>) in
                world.manager.upload(
                    multipartFormData: { $0.append(Data("x".utf8), withName: "x") },
                    to: world.address("/post")
                ) { result in
                    guard case .success(let request, _, _) = result else {
                        return continuation.resume(returning: nil)
                    }
                    continuation.resume(returning: request)
                }
            })
        let types = lines(request).filter { $0.contains("Content-Type") }
        #expect(types.count == 1)
        #expect(types.first?.hasPrefix("-H \"Content-Type: multipart/form-data;") == true)
        _ = await request.ended()
    }
}

extension DataRequest {
    /// What the original's test adds, under two names.
    fileprivate func addOperation(_ operation: @escaping @Sendable () -> Void) -> Self {
        delegate.queue.addOperation(operation)
        return self
    }
}
