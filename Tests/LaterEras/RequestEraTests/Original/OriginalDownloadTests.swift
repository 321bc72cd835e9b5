import SessionTasks
import TestSupport

@testable import RequestEra

/// `DownloadTests` of 4.9.1, each under the original's name without `test` or `testThat`.
@Suite("DownloadTests", .timeLimit(.minutes(2)))
struct OriginalDownloadTests {
    private let scratch = TemporaryFolder()

    private func to(
        _ name: String = "f", _ options: DownloadRequest.DownloadOptions = []
    ) -> DownloadRequest.DownloadFileDestination {
        let file = scratch.file(name)
        return { _, _ in (file, options) }
    }

    /// Removes the file of a download without a destination, which is the program's.
    private func remove(_ response: DefaultDownloadResponse) throws {
        try FileManager.default.removeItem(at: #require(response.temporaryURL))
    }

    @Test func `DownloadClassMethodWithMethodURLAndDestination`() async throws {
        let world = TestWorld.requests()
        let request = world.manager.download(world.address("/get"))
        #expect(request.request?.httpMethod == "GET")
        #expect(request.request?.url?.absoluteString == world.address("/get"))
        try remove(await request.ended())
    }

    @Test func `DownloadClassMethodWithMethodURLHeadersAndDestination`() async throws {
        let world = TestWorld.requests()
        let request = world.manager.download(
            world.address("/get"), headers: ["Authorization": "123456"])
        #expect(request.request?.httpMethod == "GET")
        #expect(request.request?.url?.absoluteString == world.address("/get"))
        #expect(request.request?.value(forHTTPHeaderField: "Authorization") == "123456")
        try remove(await request.ended())
    }

    @Test func `DownloadRequest`() async throws {
        let world = TestWorld.requests()
        let response = await world.manager.download(world.address("/bytes/40000"), to: to())
            .ended()
        #expect(response.request != nil && response.response != nil && response.error == nil)
        #expect(response.destinationURL == scratch.file("f"))
        #expect(response.resumeData == nil)
        #expect(try Data(contentsOf: scratch.file("f")).count == 40_000)
    }

    @Test func `CancelledDownloadRequest`() async throws {
        let world = TestWorld.requests()
        world.server.add("/held") { _ in .text("x").after(.wait(gate: "held")) }
        let request = world.manager.download(world.address("/held"), to: to())
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
        let world = TestWorld.requests()
        let response = await world.manager.download(
            world.address("/get"), parameters: ["foo": "bar"]
        ).ended()
        #expect(response.destinationURL == nil && response.error == nil)
        let object = try object(response.temporaryURL)
        #expect(object?["args"] as? [String: String] == ["foo": "bar"])
        try remove(response)
    }

    @Test func `DownloadRequestWithHeaders`() async throws {
        let world = TestWorld.requests()
        let response = await world.manager.download(
            world.address("/get"), headers: ["Authorization": "123456"], to: to()
        ).ended()
        #expect(response.destinationURL != nil && response.error == nil)
        let object = try object(scratch.file("f"))
        #expect((object?["headers"] as? [String: String])?["Authorization"] == "123456")
    }

    @Test func `DownloadingFileAndMovingToDestinationThatIsOccupiedThrowsError`() async throws {
        let world = TestWorld.requests()
        _ = try scratch.write("f", Data("old".utf8))
        let response = await world.manager.download(world.address("/get"), to: to()).ended()
        #expect(response.error?.code == CocoaError.Code.fileWriteFileExists.rawValue)
        #expect(response.temporaryURL != nil && response.destinationURL != nil)
        #expect(scratch.text("f") == "old")
    }

    // MARK: Resume data

    /// A download that is cancelled when a part has come.
    private func cancelled(
        _ world: TestWorld, _ cancel: (DownloadRequest) -> Void = { $0.cancel() }
    ) async throws -> DownloadRequest {
        let request = world.manager.download(
            world.address("/range/40000?chunk_size=1000&duration=4"), to: to())
        let come = Signal()
        request.downloadProgress { _ in come.fire() }
        await come.wait()
        cancel(request)
        return request
    }

    @Test func `CancelledDownloadResponseDataMatchesResumeData`() async throws {
        let world = TestWorld.requests()
        let request = try await cancelled(world)
        let response = await request.ended()
        #expect(response.error != nil && response.destinationURL == nil)
        #expect(response.resumeData != nil && response.resumeData == request.resumeData)
    }

    @Test func `CancelledDownloadResumeDataIsAvailableWithJSONResponseSerializer`() async throws {
        let world = TestWorld.requests()
        let request = try await cancelled(world)
        let response = await request.json()
        #expect(response.result.isFailure && response.resumeData != nil)
        #expect(response.resumeData == request.resumeData)
    }

    @Test func `CancelledDownloadCanBeResumedWithResumeData`() async throws {
        let world = TestWorld.requests()
        let first = try await cancelled(world).ended()
        let data = try #require(first.resumeData)
        let values = Log<Double>()
        let request = world.manager.download(resumingWith: data, to: to())
        request.downloadProgress { values.add($0.fractionCompleted) }
        let response = await request.ended()
        await MainQueue.settle()
        #expect(response.error == nil && response.response?.statusCode == 206)
        #expect(try Data(contentsOf: scratch.file("f")).count == 40_000)
        #expect(values.all.first ?? 0 > 0 && values.all.last == 1)
    }

    @Test func `DownloadCanBeCancelledWithoutResumeData`() async throws {
        let world = TestWorld.requests()
        let request = try await cancelled(world) { $0.cancel(createResumeData: false) }
        let response = await request.ended()
        #expect(response.error != nil && response.resumeData == nil && request.resumeData == nil)
    }

    @Test func `MapErrorTransformsFailureValue`() async throws {
        let world = TestWorld.requests()
        let request = world.manager.download(world.address("/status/500"), to: to())
        let mapped = await request.validate().json().mapError { _ in PlainError(tag: "x") }
        #expect(mapped.error is PlainError)
        #expect(mapped.request != nil && mapped.response != nil && mapped.metrics != nil)
    }
}
