import Foundation
import FoundationNetworking
import Locking
import LoopbackServer
import SessionTasks
import TestSupport
import Testing

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

    @Test func `DownloadRequestWithProgress`() async throws {
        let room = try EraRoom()
        let values = Log<Double>()
        room.manager.startRequestsImmediately = false
        let request = room.manager.download(room.url("/bytes/100000"))
        request.downloadProgress { values.add($0.fractionCompleted) }
        request.resume()
        let response = await request.ended()
        #expect(response.error == nil && response.resumeData == nil)
        #expect(response.temporaryURL != nil && response.destinationURL == nil)
        await MainQueue.settle()
        #expect(values.all == values.all.sorted() && values.all.last == 1)
        try remove(response)
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

    @Test func `DownloadingFileAndMovingToDirectoryThatDoesNotExistThrowsError`() async throws {
        let room = try EraRoom()
        let response = await room.manager.download(room.url("/get"), to: try to("none/f")).ended()
        #expect(response.error?.code == CocoaError.Code.fileNoSuchFile.rawValue)
        #expect(response.temporaryURL != nil && response.destinationURL != nil)
    }

    @Test func `DownloadOptionsCanCreateIntermediateDirectoriesPriorToMovingFile`() async throws {
        let room = try EraRoom()
        let response = await room.manager.download(
            room.url("/get"), to: try to("none/f", .createIntermediateDirectories)
        ).ended()
        #expect(response.error == nil)
        #expect(try scratch.get().text(of: "none/f") != nil)
    }

    @Test func `DownloadingFileAndMovingToDestinationThatIsOccupiedThrowsError`() async throws {
        let room = try EraRoom()
        _ = try scratch.get().write("old", to: "f")
        let response = await room.manager.download(room.url("/get"), to: try to()).ended()
        #expect(response.error?.code == CocoaError.Code.fileWriteFileExists.rawValue)
        #expect(response.temporaryURL != nil && response.destinationURL != nil)
        #expect(try scratch.get().text(of: "f") == "old")
    }

    @Test func `DownloadOptionsCanRemovePreviousFilePriorToMovingFile`() async throws {
        let room = try EraRoom()
        _ = try scratch.get().write("old", to: "f")
        let response = await room.manager.download(
            room.url("/get"), to: try to("f", .removePreviousFile)
        ).ended()
        #expect(response.error == nil)
        #expect(try scratch.get().text(of: "f") != "old")
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

    // MARK: Transforms of a response

    private func response(_ path: String) async throws -> DownloadResponse<Any> {
        let room = try EraRoom()
        return await room.manager.download(room.url(path), to: try to()).validate().json()
    }

    private static func url(_ value: Any) -> String {
        ((value as? [String: Any])?["url"] as? String) ?? ""
    }

    /// Whether a transform has kept all but the result.
    private func isWhole<Value>(_ response: DownloadResponse<Value>) -> Bool {
        response.request != nil && response.response != nil && response.metrics != nil
    }

    @Test func `MapTransformsSuccessValue`() async throws {
        let mapped = try await response("/get").map(Self.url)
        #expect(mapped.value?.hasSuffix("/get") == true && isWhole(mapped))
    }

    @Test func `MapPreservesFailureError`() async throws {
        let mapped = try await response("/status/500").map { _ in "ignored" }
        #expect(mapped.error is AFError && mapped.value == nil && isWhole(mapped))
    }

    @Test func `FlatMapTransformsSuccessValue`() async throws {
        let mapped = try await response("/get").flatMap(Self.url)
        #expect(mapped.value?.hasSuffix("/get") == true && isWhole(mapped))
    }

    @Test func `FlatMapCatchesTransformationError`() async throws {
        let mapped: DownloadResponse<Int> = try await response("/get").flatMap { _ in
            throw PlainError(tag: "thrown")
        }
        #expect(mapped.error is PlainError && mapped.response != nil && isWhole(mapped))
    }

    @Test func `FlatMapPreservesFailureError`() async throws {
        let mapped: DownloadResponse<Int> = try await response("/status/500").flatMap { _ in
            throw PlainError(tag: "thrown")
        }
        #expect(mapped.error is AFError && isWhole(mapped))
    }

    @Test func `MapErrorTransformsFailureValue`() async throws {
        let mapped = try await response("/status/500").mapError { _ in PlainError(tag: "x") }
        #expect(mapped.error is PlainError && isWhole(mapped))
    }

    @Test func `MapErrorPreservesSuccessValue`() async throws {
        let mapped = try await response("/get").mapError { _ in PlainError(tag: "x") }
        #expect(mapped.value != nil && mapped.error == nil && isWhole(mapped))
    }

    @Test func `FlatMapErrorPreservesSuccessValue`() async throws {
        let mapped = try await response("/get").flatMapError { _ in PlainError(tag: "x") }
        #expect(mapped.value != nil && mapped.error == nil && isWhole(mapped))
    }

    @Test func `FlatMapErrorCatchesTransformationError`() async throws {
        let mapped = try await response("/status/500").flatMapError { _ -> PlainError in
            throw URLError(.badURL)
        }
        #expect(mapped.error is URLError && isWhole(mapped))
    }

    @Test func `FlatMapErrorTransformsError`() async throws {
        let mapped = try await response("/status/500").flatMapError { _ in PlainError(tag: "x") }
        #expect(mapped.error is PlainError && isWhole(mapped))
    }
}
