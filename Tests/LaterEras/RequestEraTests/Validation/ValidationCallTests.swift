import SessionTasks
import TestSupport

@testable import RequestEra

/// What is accepted is recorded; here, that both kinds of request ask it.
@Suite("The calls of validation", .timeLimit(.minutes(1)))
struct ValidationCallTests {
    private let world: TestWorld

    init() throws {
        world = TestWorld.requests()
    }

    private func errors(
        _ path: String, accept: String? = nil, _ data: (DataRequest) -> DataRequest,
        _ download: (DownloadRequest) -> DownloadRequest
    ) async -> [AFError?] {
        let headers: HTTPHeaders? = accept.map { ["Accept": $0] }
        let first = await data(world.get(path, headers: headers)).ended().error
        let second = await download(world.manager.download(world.address(path), headers: headers))
            .ended().error
        #expect((first == nil) == (second == nil))
        return [first as? AFError, second as? AFError]
    }

    @Test func `a data request and a download have the same calls`() async throws {
        func codes(_ path: String, _ codes: Range<Int>) async -> [Int?] {
            await errors(path) {
                $0.validate(statusCode: codes)
            } _: {
                $0.validate(statusCode: codes)
            }.map { $0?.responseCode }
        }
        #expect(await codes("/status/404", 200..<300) == [404, 404])
        #expect(await codes("/status/404", 400..<500) == [nil, nil])

        func types(_ path: String, _ types: [String]) async -> [String?] {
            await errors(path) {
                $0.validate(statusCode: 200..<300).validate(contentType: types)
            } _: {
                $0.validate(statusCode: 200..<300).validate(contentType: types)
            }.map { $0?.responseContentType }
        }
        #expect(await types("/get", ["text/html"]) == ["application/json", "application/json"])
        #expect(await types("/get", ["text/html", "*/json"]) == [nil, nil])
        // A download of 204 has an empty file.
        #expect(await types("/status/204", []) == [nil, nil])

        func automatic(_ path: String, _ accept: String?) async -> [AFError?] {
            await errors(path, accept: accept) {
                $0.validate()
            } _: {
                $0.validate()
            }
        }
        #expect(await automatic("/status/404", nil).map { $0?.responseCode } == [404, 404])
        #expect(await automatic("/get", "application/json").allSatisfy { $0 == nil })
        let refused = await automatic("/get", "text/html")
        #expect(refused.allSatisfy { $0?.acceptableContentTypes == ["text/html"] })
    }

    @Test func `a validation of an extension sees the data, or the file`() async throws {
        let data = world.get("/get").refuse("a") { $0 == nil }
        #expect(await data.ended().error == nil)
        let refused = world.get("/get").refuse("a") { $0 != nil }.refuse("b") { $0 != nil }
        #expect(await (refused.ended().error as? PlainError)?.tag == "a")
        let download = world.manager.download(world.address("/get")).refuse("a") { $0 == nil }
        #expect(await download.ended().error == nil)
        let other = world.manager.download(world.address("/get")).refuse("a") { $0 != nil }
            .refuse("b") { $0 != nil }
        #expect(await (other.ended().error as? PlainError)?.tag == "a")
    }
}

extension DataRequest {
    fileprivate func refuse(
        _ tag: String, where isWrong: @escaping @Sendable (Data?) -> Bool
    ) -> Self {
        validate { _, _, data in isWrong(data) ? .failure(PlainError(tag: tag)) : .success }
    }
}

extension DownloadRequest {
    fileprivate func refuse(
        _ tag: String, where isWrong: @escaping @Sendable (URL?) -> Bool
    ) -> Self {
        validate { [unowned self] _, _, _, _ in
            let file = (delegate as? DownloadTaskDelegate)?.fileURL
            return isWrong(file) ? .failure(PlainError(tag: tag)) : .success
        }
    }
}
