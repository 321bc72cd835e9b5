import SessionTasks
import TestSupport

@testable import RequestEra

/// `UploadTests` of 4.9.1, each under the original's name without `test` or `testThat`.
@Suite("UploadTests", .timeLimit(.minutes(2)))
struct OriginalUploadTests {
    private func made(
        headers: HTTPHeaders? = nil, _ make: (SessionManager, String, HTTPHeaders?) -> UploadRequest
    ) async throws {
        let world = TestWorld.requests()
        let request = make(world.manager, world.address("/post"), headers)
        #expect(request.request?.httpMethod == "POST")
        #expect(request.request?.url?.absoluteString == world.address("/post"))
        let value = request.request?.value(forHTTPHeaderField: "Authorization")
        #expect(value == headers?["Authorization"])
        #expect(await request.ended().response?.statusCode == 200)
    }

    private let headers = ["Authorization": "123456"]

    private func file(_ scratch: TemporaryFolder) throws -> URL {
        try scratch.write("f", Data("hello".utf8))
    }

    @Test func `UploadClassMethodWithMethodURLAndFile`() async throws {
        let scratch = TemporaryFolder()
        let file = try file(scratch)
        try await made { $0.upload(file, to: $1, headers: $2) }
    }

    @Test func `UploadClassMethodWithMethodURLHeadersAndFile`() async throws {
        let scratch = TemporaryFolder()
        let file = try file(scratch)
        try await made(headers: headers) { $0.upload(file, to: $1, headers: $2) }
    }

    @Test func `UploadClassMethodWithMethodURLAndData`() async throws {
        try await made { $0.upload(Data("hello".utf8), to: $1, headers: $2) }
    }

    @Test func `UploadClassMethodWithMethodURLHeadersAndData`() async throws {
        try await made(headers: headers) { $0.upload(Data("hello".utf8), to: $1, headers: $2) }
    }

    @Test func `UploadClassMethodWithMethodURLAndStream`() async throws {
        try await made { $0.upload(InputStream(data: Data("hello".utf8)), to: $1, headers: $2) }
    }

    @Test func `UploadClassMethodWithMethodURLHeadersAndStream`() async throws {
        try await made(headers: headers) {
            $0.upload(InputStream(data: Data("hello".utf8)), to: $1, headers: $2)
        }
    }

    @Test func `UploadDataRequest`() async throws {
        let world = TestWorld.requests()
        let response = await world.manager.upload(
            Data("Lorem ipsum".utf8), to: world.address("/post")
        ).ended()
        #expect(response.request != nil && response.response != nil && response.error == nil)
    }

    @Test func `UploadDataRequestWithProgress`() async throws {
        let world = TestWorld.requests()
        let sent = Log<Double>()
        let come = Log<Double>()
        world.manager.startRequestsImmediately = false
        let request = world.manager.upload(
            Data(repeating: 65, count: 300_000), to: world.address("/anything"))
        request.uploadProgress { sent.add($0.fractionCompleted) }
        request.downloadProgress { come.add($0.fractionCompleted) }
        request.resume()
        #expect(await request.ended().error == nil)
        await MainQueue.settle()
        #expect(sent.all == sent.all.sorted() && sent.all.last == 1)
        #expect(come.all == come.all.sorted() && come.all.last == 1)
    }

    // MARK: Forms

    private struct Sent {
        var request: UploadRequest
        var isStreaming: Bool
        var response: DefaultDataResponse
        /// The form's own.
        var contentType: String?
    }

    private func form(
        _ world: TestWorld, threshold: UInt64? = nil, size: Int = 5,
        prepare: @escaping @Sendable (UploadRequest) -> Void = { _ in }
    ) async throws -> Sent {
        // It starts once it has a handler; one that ended before would keep its file.
        world.manager.startRequestsImmediately = false
        // A lock hands the request over: the sanitizer does not see a continuation do so.
        let results = Log<SessionManager.MultipartFormDataEncodingResult>()
        let types = Log<String>()
        world.manager.upload(
            multipartFormData: { form in
                form.append(Data(repeating: 65, count: size), withName: "first")
                form.append(Data("second".utf8), withName: "second")
                types.add(form.contentType)
            },
            usingThreshold: threshold ?? SessionManager.multipartFormDataEncodingMemoryThreshold,
            to: world.address("/post")
        ) { results.add($0) }
        #expect(await results.reaches(1))
        let result = try #require(results.all.first)
        guard case .success(let request, let isStreaming, _) = result else {
            throw PlainError(tag: "\(result)")
        }
        prepare(request)
        let response = await withCheckedContinuation { continuation in
            request.response { continuation.resume(returning: $0) }
            request.resume()
        }
        return Sent(
            request: request, isStreaming: isStreaming, response: response,
            contentType: types.all.last)
    }

    private func hasType(_ sent: Sent) -> Bool {
        let type = sent.response.request?.value(forHTTPHeaderField: "Content-Type")
        return type == sent.contentType
            && type?.hasPrefix("multipart/form-data; boundary=alamofire.boundary.") == true
    }

    @Test func `UploadingMultipartFormDataSetsContentTypeHeader`() async throws {
        let sent = try await form(TestWorld.requests())
        #expect(hasType(sent) && sent.response.response?.statusCode == 200)
    }

    @Test func `UploadingMultipartFormDataSucceedsWithDefaultParameters`() async throws {
        let sent = try await form(TestWorld.requests())
        let data = try #require(sent.response.data)
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        #expect(object?["form"] as? [String: String] == ["first": "AAAAA", "second": "second"])
    }

    private func monitors(_ threshold: UInt64?) async throws {
        let world = TestWorld.requests()
        let values = Log<Double>()
        let sent = try await form(world, threshold: threshold, size: 300_000) {
            $0.uploadProgress { values.add($0.fractionCompleted) }
        }
        await MainQueue.settle()
        #expect(sent.isStreaming == (threshold == 0) && sent.response.error == nil)
        // It may have been sent before the closure came.
        #expect(values.all == values.all.sorted() && [1, nil].contains(values.all.last))
        #expect(sent.request.uploadProgress.fractionCompleted == 1)
    }

    @Test func `UploadingMultipartFormDataWhileStreamingFromMemoryMonitorsProgress`() async throws {
        try await monitors(nil)
    }

    @Test func `UploadingMultipartFormDataWhileStreamingFromDiskMonitorsProgress`() async throws {
        try await monitors(0)
    }

    @Test func `UploadingMultipartFormDataBelowMemoryThresholdSetsContentTypeHeader`() async throws
    {
        let sent = try await form(TestWorld.requests())
        #expect(!sent.isStreaming && hasType(sent))
    }

    @Test func `UploadingMultipartFormDataAboveMemoryThresholdSetsContentTypeHeader`() async throws
    {
        let sent = try await form(TestWorld.requests(), threshold: 0)
        #expect(sent.isStreaming && hasType(sent))
    }
}
