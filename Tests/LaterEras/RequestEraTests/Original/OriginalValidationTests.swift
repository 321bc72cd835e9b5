import SessionTasks
import TestSupport

@testable import RequestEra

/// The errors of a data request and a download of one path, each with the validations.
private struct Both {
    let room: EraRoom

    init() throws {
        room = try EraRoom()
        room.server.add("/typed") { request in
            .text("x", contentType: request.query["type"] ?? "text/plain")
        }
        room.server.add("/untyped") { _ in
            let head = ScriptedResponse.head(200, [("Content-Length", "1")])
            return ScriptedResponse([.bytes(head + Data("x".utf8))])
        }
    }

    func errors(
        _ path: String, headers: HTTPHeaders? = nil, _ data: (DataRequest) -> DataRequest,
        _ download: (DownloadRequest) -> DownloadRequest
    ) async -> [AFError?] {
        let first = await data(room.request(path, headers: headers)).ended().error
        let second = await download(
            room.manager.download(room.url(path), headers: headers)
        ).ended().error
        return [first as? AFError, second as? AFError]
    }
}

/// `ValidationTests` of 4.9.1, each under the original's name without `test` or `testThat`.
@Suite("ValidationTests", .timeLimit(.minutes(2)))
struct OriginalValidationTests {
    private func codes(_ path: String, _ codes: some Sequence<Int> & Sendable) async throws
        -> [AFError?]
    {
        try await Both().errors(path) {
            $0.validate(statusCode: codes)
        } _: {
            $0.validate(statusCode: codes)
        }
    }

    private func types(_ path: String, _ types: [String]) async throws -> [AFError?] {
        try await Both().errors(path) {
            $0.validate(contentType: types)
        } _: {
            $0.validate(contentType: types)
        }
    }

    @Test func `ValidationForRequestWithAcceptableStatusCodeResponseSucceeds`() async throws {
        #expect(try await codes("/status/200", 200..<300).allSatisfy { $0 == nil })
    }

    @Test func `ValidationForRequestWithUnacceptableStatusCodeResponseFails`() async throws {
        let errors = try await codes("/status/404", [200])
        #expect(errors.map { $0?.responseCode } == [404, 404])
    }

    @Test func `ValidationForRequestWithNoAcceptableStatusCodesFails`() async throws {
        let errors = try await codes("/status/201", [Int]())
        #expect(errors.map { $0?.responseCode } == [201, 201])
    }

    @Test func `ValidationForRequestWithAcceptableContentTypeResponseSucceeds`() async throws {
        let errors = try await types(
            "/get", ["application/json", "application/json; charset=utf-8"])
        #expect(errors.allSatisfy { $0 == nil })
    }

    @Test func `ValidationForRequestWithAcceptableWildcardContentTypeResponseSucceeds`()
        async throws
    {
        let errors = try await types("/get", ["*/*", "application/*", "*/json"])
        #expect(errors.allSatisfy { $0 == nil })
    }

    @Test func `ValidationForRequestWithUnacceptableContentTypeResponseFails`() async throws {
        let errors = try await types("/typed?type=text/html", ["application/octet-stream"])
        #expect(errors.map { $0?.responseContentType } == ["text/html", "text/html"])
    }

    @Test func `ValidationForRequestWithNoAcceptableContentTypeResponseFails`() async throws {
        let errors = try await types("/typed?type=text/html", [])
        #expect(errors.map { $0?.acceptableContentTypes } == [[], []])
    }

    @Test
    func
        `ValidationForRequestWithNoAcceptableContentTypeResponseSucceedsWhenNoDataIsReturned`()
        async throws
    {
        // A download of 204 has an empty file here.
        #expect(try await types("/status/204", []).allSatisfy { $0 == nil })
    }

    @Test
    func
        `ValidationForRequestWithAcceptableWildcardContentTypeResponseSucceedsWhenResponseIsNil`()
        async throws
    {
        #expect(try await types("/untyped", ["*/*"]).allSatisfy { $0 == nil })
        #expect(try await types("/untyped", ["text/plain"]).allSatisfy { $0 != nil })
    }

    // MARK: Several

    private func several(
        _ path: String, _ codes: Range<Int>, _ types: [String]
    ) async throws -> [AFError?] {
        try await Both().errors(path) {
            $0.validate(statusCode: codes).validate(contentType: types)
        } _: {
            $0.validate(statusCode: codes).validate(contentType: types)
        }
    }

    @Test func `ValidationForRequestWithAcceptableStatusCodeAndContentTypeResponseSucceeds`()
        async throws
    {
        let errors = try await several("/get", 200..<300, ["application/json"])
        #expect(errors.allSatisfy { $0 == nil })
    }

    @Test
    func
        `ValidationForRequestWithUnacceptableStatusCodeAndContentTypeResponseFailsWithStatusCodeError`()
        async throws
    {
        let errors = try await several("/get", 400..<600, ["application/octet-stream"])
        #expect(errors.map { $0?.responseCode } == [200, 200])
    }

    @Test
    func
        `ValidationForRequestWithUnacceptableStatusCodeAndContentTypeResponseFailsWithContentTypeError`()
        async throws
    {
        let errors = try await Both().errors("/get") {
            $0.validate(contentType: ["text/html"]).validate(statusCode: 400..<600)
        } _: {
            $0.validate(contentType: ["text/html"]).validate(statusCode: 400..<600)
        }
        #expect(errors.allSatisfy { $0?.responseContentType == "application/json" })
    }

    // MARK: Custom

    @Test func `CustomValidationClosureHasAccessToServerResponseData`() async throws {
        let errors = try await Both().errors("/get") {
            $0.validate { _, _, data in
                data?.isEmpty == false ? .success : .failure(PlainError(tag: "no data"))
            }
        } _: {
            $0.validate { _, _, file, _ in
                file.flatMap { try? Data(contentsOf: $0) } == nil
                    ? .failure(PlainError(tag: "no file")) : .success
            }
        }
        #expect(errors.allSatisfy { $0 == nil })
    }

    @Test func `CustomValidationCanThrowCustomError`() async throws {
        let both = try Both()
        let data = both.room.request("/get").validate { _, _, _ in .failure(PlainError(tag: "a")) }
            .validate { _, _, _ in .failure(PlainError(tag: "b")) }
        #expect(await (data.ended().error as? PlainError)?.tag == "a")
        let download = both.room.manager.download(both.room.url("/get"))
            .validate { _, _, _, _ in .failure(PlainError(tag: "a")) }
            .validate { _, _, _, _ in .failure(PlainError(tag: "b")) }
        #expect(await (download.ended().error as? PlainError)?.tag == "a")
    }

    @Test func `ValidationExtensionHasAccessToServerResponseData`() async throws {
        let errors = try await Both().errors("/get") {
            $0.validateDataExists()
        } _: {
            $0.validateDataExists()
        }
        #expect(errors.allSatisfy { $0 == nil })
    }

    @Test func `ValidationExtensionCanThrowCustomError`() async throws {
        let both = try Both()
        let data = both.room.request("/get").validate(with: PlainError(tag: "a"))
            .validate(with: PlainError(tag: "b"))
        #expect(await (data.ended().error as? PlainError)?.tag == "a")
        let download = both.room.manager.download(both.room.url("/get"))
            .validate(with: PlainError(tag: "a")).validate(with: PlainError(tag: "b"))
        #expect(await (download.ended().error as? PlainError)?.tag == "a")
    }
}

/// Its class for `validate()`, in which three names come again.
@Suite("ValidationTests, automatic", .timeLimit(.minutes(2)))
struct OriginalAutomaticValidationTests {
    private func errors(_ path: String, accept: String? = nil) async throws -> [AFError?] {
        try await Both().errors(path, headers: accept.map { ["Accept": $0] }) {
            $0.validate()
        } _: {
            $0.validate()
        }
    }

    @Test func `ValidationForRequestWithAcceptableStatusCodeAndContentTypeResponseSucceeds`()
        async throws
    {
        let errors = try await errors("/get", accept: "application/json")
        #expect(errors.allSatisfy { $0 == nil })
    }

    @Test func `ValidationForRequestWithUnacceptableStatusCodeResponseFails`() async throws {
        #expect(try await errors("/status/404").map { $0?.responseCode } == [404, 404])
    }

    @Test func `ValidationForRequestWithAcceptableWildcardContentTypeResponseSucceeds`()
        async throws
    {
        let errors = try await errors("/get", accept: "application/*")
        #expect(errors.allSatisfy { $0 == nil })
    }

    @Test func `ValidationForRequestWithAcceptableComplexContentTypeResponseSucceeds`() async throws
    {
        let accept =
            "text/xml, application/xml, application/xhtml+xml, text/html;q=0.9, "
            + "text/plain;q=0.8,*/*;q=0.5"
        #expect(try await errors("/get", accept: accept).allSatisfy { $0 == nil })
    }

    @Test func `ValidationForRequestWithUnacceptableContentTypeResponseFails`() async throws {
        let errors = try await errors("/typed?type=text/html", accept: "application/json")
        #expect(errors.allSatisfy { $0?.acceptableContentTypes == ["application/json"] })
    }
}

extension DataRequest {
    fileprivate func validateDataExists() -> Self {
        validate { _, _, data in
            data == nil ? .failure(PlainError(tag: "no data")) : .success
        }
    }

    fileprivate func validate(with error: PlainError) -> Self {
        validate { _, _, _ in .failure(error) }
    }
}

extension DownloadRequest {
    fileprivate func validateDataExists() -> Self {
        validate { [unowned self] _, _, _, _ in
            let delegate = delegate as? DownloadTaskDelegate
            return delegate?.fileURL == nil ? .failure(PlainError(tag: "no file")) : .success
        }
    }

    fileprivate func validate(with error: PlainError) -> Self {
        validate { _, _, _, _ in .failure(error) }
    }
}
