import SessionTasks
import TestSupport

@testable import RequestEra

/// `DownloadTests` of 4.9.1, each under the original's name without `test` or `testThat`.
@Suite("DownloadTests", .timeLimit(.minutes(2)))
struct OriginalDownloadTests {
    private let scratch = Swift.Result { try Scratch() }

    private func to(
        _ name: String = "f", _ options: DownloadRequest.DownloadOptions = []
    ) throws -> DownloadRequest.DownloadFileDestination {
        let file = try scratch.get().file(name)
        return { _, _ in (file, options) }
    }

    /// Removes the file of a download without a destination, which is the program's.
    private func remove(_ response: DefaultDownloadResponse) throws {
        try FileManager.default.removeItem(at: #require(response.temporaryURL))
    }

    @Test func `DownloadClassMethodWithMethodURLAndDestination`() async throws {
        let room = try EraRoom()
        let request = room.manager.download(room.url("/get"))
        #expect(request.request?.httpMethod == "GET")
        #expect(request.request?.url?.absoluteString == room.url("/get"))
        try remove(await request.ended())
    }

    @Test func `DownloadClassMethodWithMethodURLHeadersAndDestination`() async throws {
        let room = try EraRoom()
        let request = room.manager.download(
            room.url("/get"), headers: ["Authorization": "123456"])
        #expect(request.request?.httpMethod == "GET")
        #expect(request.request?.url?.absoluteString == room.url("/get"))
        #expect(request.request?.value(forHTTPHeaderField: "Authorization") == "123456")
        try remove(await request.ended())
    }

    @Test func `DownloadRequest`() async throws {
        let room = try EraRoom()
        let response = await room.manager.download(room.url("/bytes/40000"), to: try to()).ended()
        #expect(response.request != nil && response.response != nil && response.error == nil)
        #expect(try response.destinationURL == scratch.get().file("f"))
        #expect(response.resumeData == nil)
        #expect(try Data(contentsOf: scratch.get().file("f")).count == 40_000)
    }

    @Test func `CancelledDownloadRequest`() async throws {
        let room = try EraRoom()
        room.server.add("/held") { _ in .text("x").after(.wait(gate: "held")) }
        let request = room.manager.download(room.url("/held"), to: try to())
        request.cancel()
        let response = await request.ended()
        #expect(response.error?.code == URLError.Code.cancelled.rawValue)
        #expect(response.request != nil && response.response == nil)
        #expect(response.destinationURL == nil)
    }

    /// What is in a file.
    private func object(_ file: URL?) throws -> [String: Any]? {
        let data = try Data(contentsOf: #require(file))
        return try JSONSerialization.jsonObject(with: data) as? [String: Any]
    }

    @Test func `DownloadRequestWithParameters`() async throws {
        let room = try EraRoom()
        let response = await room.manager.download(
            room.url("/get"), parameters: ["foo": "bar"]
        ).ended()
        #expect(response.destinationURL == nil && response.error == nil)
        let object = try object(response.temporaryURL)
        #expect(object?["args"] as? [String: String] == ["foo": "bar"])
        try remove(response)
    }

    @Test func `DownloadRequestWithHeaders`() async throws {
        let room = try EraRoom()
        let response = await room.manager.download(
            room.url("/get"), headers: ["Authorization": "123456"], to: try to()
        ).ended()
        #expect(response.destinationURL != nil && response.error == nil)
        let object = try object(scratch.get().file("f"))
        #expect((object?["headers"] as? [String: String])?["Authorization"] == "123456")
    }

    @Test func `DownloadingFileAndMovingToDestinationThatIsOccupiedThrowsError`() async throws {
        let room = try EraRoom()
        _ = try scratch.get().write("old", to: "f")
        let response = await room.manager.download(room.url("/get"), to: try to()).ended()
        #expect(response.error?.code == CocoaError.Code.fileWriteFileExists.rawValue)
        #expect(response.temporaryURL != nil && response.destinationURL != nil)
        #expect(try scratch.get().text(of: "f") == "old")
    }

    // MARK: Resume data

    /// A download that is cancelled when a part has come.
    private func cancelled(
        _ room: EraRoom, _ cancel: (DownloadRequest) -> Void = { $0.cancel() }
    ) async throws -> DownloadRequest {
        let request = room.manager.download(
            room.url("/range/40000?chunk_size=1000&duration=4"), to: try to())
        let come = Signal()
        request.downloadProgress { _ in come.fire() }
        await come.wait()
        cancel(request)
        return request
    }

    @Test func `CancelledDownloadResponseDataMatchesResumeData`() async throws {
        let room = try EraRoom()
        let request = try await cancelled(room)
        let response = await request.ended()
        #expect(response.error != nil && response.destinationURL == nil)
        #expect(response.resumeData != nil && response.resumeData == request.resumeData)
    }

    @Test func `CancelledDownloadResumeDataIsAvailableWithJSONResponseSerializer`() async throws {
        let room = try EraRoom()
        let request = try await cancelled(room)
        let response = await request.json()
        #expect(response.result.isFailure && response.resumeData != nil)
        #expect(response.resumeData == request.resumeData)
    }

    @Test func `CancelledDownloadCanBeResumedWithResumeData`() async throws {
        let room = try EraRoom()
        let first = try await cancelled(room).ended()
        let data = try #require(first.resumeData)
        let values = Log<Double>()
        let request = room.manager.download(resumingWith: data, to: try to())
        request.downloadProgress { values.add($0.fractionCompleted) }
        let response = await request.ended()
        await MainQueue.settle()
        #expect(response.error == nil && response.response?.statusCode == 206)
        #expect(try Data(contentsOf: scratch.get().file("f")).count == 40_000)
        #expect(values.all.first ?? 0 > 0 && values.all.last == 1)
    }

    @Test func `DownloadCanBeCancelledWithoutResumeData`() async throws {
        let room = try EraRoom()
        let request = try await cancelled(room) { $0.cancel(createResumeData: false) }
        let response = await request.ended()
        #expect(response.error != nil && response.resumeData == nil && request.resumeData == nil)
    }

    @Test func `MapErrorTransformsFailureValue`() async throws {
        let room = try EraRoom()
        let request = room.manager.download(room.url("/status/500"), to: try to())
        let mapped = await request.validate().json().mapError { _ in PlainError(tag: "x") }
        #expect(mapped.error is PlainError)
        #expect(mapped.request != nil && mapped.response != nil && mapped.metrics != nil)
    }
}
