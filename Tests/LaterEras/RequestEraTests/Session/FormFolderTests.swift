import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("Where a large form lies: AL-28", .timeLimit(.minutes(1)))
struct FormFolderTests {
    @Test func `each has a folder of its own that its user alone can enter, and that goes with it`()
        async throws
    {
        let world = TestWorld.requests()
        let folders = try await [folder(world), folder(world)]
        #expect(folders[0] != folders[1])
        for folder in folders {
            while FileManager.default.fileExists(atPath: folder.path) { await Task.yield() }
        }
    }

    /// The folder of a form, as it was before the form was sent.
    private func folder(_ world: TestWorld) async throws -> URL {
        world.manager.startRequestsImmediately = false
        let (request, file) = await withCheckedContinuation { continuation in
            world.manager.upload(
                multipartFormData: { $0.append(Data("a".utf8), withName: "a") }, usingThreshold: 0,
                to: world.address("/post")
            ) { result in
                guard case .success(let request, _, let file) = result else {
                    return continuation.resume(returning: (nil as UploadRequest?, nil as URL?))
                }
                continuation.resume(returning: (request, file))
            }
        }
        let folder = try #require(file).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let facts = try FileManager.default.attributesOfItem(atPath: folder.path)
        #expect((facts[.posixPermissions] as? NSNumber)?.intValue == 0o700)
        #expect(
            folder.deletingLastPathComponent().path == FileManager.default.temporaryDirectory.path)
        let started = try #require(request)
        async let end = started.ended()
        started.resume()
        #expect(await end.response?.statusCode == 200)
        return folder
    }
}
