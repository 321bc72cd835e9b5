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
        let room = try EraRoom()
        await check(room.request("/get"), room.url("/get"))
    }

    @Test func `RequestClassMethodWithMethodAndURLAndParameters`() async throws {
        let room = try EraRoom()
        let request = room.manager.request(room.url("/get"), parameters: ["foo": "bar"])
        await check(request, room.url("/get?foo=bar"))
    }

    @Test func `RequestClassMethodWithMethodURLParametersAndHeaders`() async throws {
        let room = try EraRoom()
        let request = room.manager.request(
            room.url("/get"), parameters: ["foo": "bar"], headers: ["Authorization": "123456"])
        await check(request, room.url("/get?foo=bar"))
        #expect(request.request?.value(forHTTPHeaderField: "Authorization") == "123456")
    }

    // MARK: `request` of a request that waits

    private func hasRequest(_ make: (SessionManager, URLRequest) throws -> Request) throws {
        let room = try EraRoom()
        room.manager.startRequestsImmediately = false
        let url = try #require(URL(string: room.url("/get")))
        let request = try make(room.manager, URLRequest(url: url))
        #expect(request.request?.url == url && request.response == nil)
    }

    @Test func `DataRequestHasURLRequest`() throws { try hasRequest { $0.request($1) } }

    @Test func `DownloadRequestHasURLRequest`() throws { try hasRequest { $0.download($1) } }

    @Test func `UploadDataRequestHasURLRequest`() throws {
        try hasRequest { $0.upload(Data(), with: $1) }
    }

    @Test func `UploadFileRequestHasURLRequest`() throws {
        let scratch = try Scratch()
        let file = try scratch.write("x", to: "f")
        try hasRequest { $0.upload(file, with: $1) }
    }

    @Test func `UploadStreamRequestHasURLRequest`() throws {
        try hasRequest { $0.upload(InputStream(data: Data()), with: $1) }
    }

    // MARK: Responses

    @Test func `RequestResponse`() async throws {
        let room = try EraRoom()
        let request = room.manager.request(room.url("/get"), parameters: ["foo": "bar"])
        let response = await request.ended()
        #expect(response.request != nil && response.response != nil)
        #expect(response.data?.isEmpty == false && response.error == nil)
    }

    @Test func `RequestResponseWithProgress`() async throws {
        let room = try EraRoom()
        let values = Log<Double>()
        room.manager.startRequestsImmediately = false
        let request = room.request("/bytes/100000")
        request.downloadProgress { values.add($0.fractionCompleted) }
        request.resume()
        let response = await request.ended()
        await MainQueue.settle()
        #expect(response.data?.count == 100_000)
        #expect(values.all == values.all.sorted() && values.all.last == 1)
    }

    @Test func `RequestResponseWithStream`() async throws {
        let room = try EraRoom()
        let pieces = Log<Data>()
        room.manager.startRequestsImmediately = false
        let request = room.request("/bytes/100000").stream { pieces.add($0) }
        request.resume()
        let response = await request.ended()
        #expect(response.data == nil && response.error == nil)
        #expect(pieces.all.reduce(0) { $0 + $1.count } == 100_000)
        #expect(request.progress.fractionCompleted == 1)
    }

    private func form(_ parameters: Parameters) async throws -> [String: String]? {
        let room = try EraRoom()
        let request = room.manager.request(
            room.url("/post"), method: .post, parameters: parameters)
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
        let room = try EraRoom()
        let log = Log<String>()
        let request = room.request("/get")
        request.preValidate { log.add("before validation") }
            .validate { _, _, _ in
                log.add("validation")
                return .success
            }
            .postValidate { log.add("after") }
        let response = await request.ended()
        #expect(response.error == nil)
        #expect(log.all.contains("before validation") && log.all.last == "after")
    }

    // MARK: Descriptions

    /// The lines of a command.
    private func lines(_ request: Request) -> [String] {
        request.cURLDescription(showingSecrets: true).components(separatedBy: " \\\n\t")
    }

    @Test func `POSTRequestWithCookiesDisabledDebugDescription`() throws {
        let room = try EraRoom(.connection, routes: .served) { $0.httpShouldSetCookies = false }
        room.manager.startRequestsImmediately = false
        let cookie = HTTPCookie(properties: [
            .domain: "127.0.0.1", .path: "/post", .name: "foo", .value: "bar",
        ])
        let storage = room.manager.taskSession.configuration.httpCookieStorage
        try storage?.setCookie(#require(cookie))
        let request = room.manager.request(room.url("/post"), method: .post)
        #expect(!lines(request).contains { $0.hasPrefix("-b") })
    }

    @Test func `MultipartFormDataRequestWithDuplicateHeadersDebugDescription`() async throws {
        let room = try EraRoom { $0.httpAdditionalHeaders = ["Content-Type": "text/plain"] }
        let request = try #require(
            await withCheckedContinuation {
                (continuation: CheckedContinuation<UploadRequest?, Never>) in
                room.manager.upload(
                    multipartFormData: { $0.append(Data("x".utf8), withName: "x") },
                    to: room.url("/post")
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
    /// What the original's test adds.
    fileprivate func preValidate(_ operation: @escaping @Sendable () -> Void) -> Self {
        validate { _, _, _ in
            operation()
            return .success
        }
    }

    @discardableResult
    fileprivate func postValidate(_ operation: @escaping @Sendable () -> Void) -> Self {
        delegate.queue.addOperation(operation)
        return self
    }
}
