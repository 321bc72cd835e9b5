import OperationNetworking
import SessionEra
import TestSupport

@Suite("Downloads: UM-06", .timeLimit(.minutes(1)))
final class DownloadTests {
    private let world = TestWorld.sessions()
    private let place = TestWorld.freshPlace()
    private let bytes = GeneratedBytes.bytes(seed: 1, range: 0..<50_000)

    deinit {
        try? FileManager.default.removeItem(at: place)
    }

    @Test
    func `UM-06.1 the destination is asked with the file and the response, before completion`()
        async throws
    {
        let log = Log<String>()
        let outcome = await world.download { handler in
            world.manager.downloadTask(
                with: world.request("/bytes/50000"),
                destination: { [place] file, response in
                    let size = (try? Data(contentsOf: file))?.count ?? -1
                    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
                    log.add("destination \(size) \(status)")
                    return place
                },
                completionHandler: { response, place, error in
                    log.add("completion")
                    handler(response, place, error)
                })
        }
        #expect(log.all == ["destination 50000 200", "completion"])
        #expect(outcome.error == nil)
        #expect(try Data(contentsOf: place) == bytes)
    }

    @Test func `UM-06.2 the file is at its destination before the delegate queue goes on`() async {
        let log = Log<Bool>()
        world.manager.setTaskDidComplete { [place] _, _, _ in
            log.add(FileManager.default.fileExists(atPath: place.path))
        }
        _ = await world.download("/bytes/50000", to: place)
        // The block is told after the handler was handed over, not before it ran.
        #expect(await log.reaches(1))
        #expect(log.all == [true])
    }

    @Test func `UM-06.3 the path is the destination`() async {
        #expect(await world.download("/bytes/50000", to: place).place == place)
    }

    @Test func `UM-06.4 without a destination the path is nil, and no file stays`() async throws {
        let log = Log<URL>()
        world.manager.setDownloadTaskDidFinishDownloadingBlock { _, _, file in
            log.add(file)
            return nil
        }
        let outcome = await world.download("/bytes/50000", to: nil)
        #expect(outcome.error == nil)
        #expect(outcome.place == nil)
        let file = try #require(log.all.first)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func `UM-06.5 a moved file is announced with the task`() async {
        let notices = Notices(.urlSessionDownloadTaskDidMoveFileSuccessfully)
        let log = Log<SessionTask>()
        world.manager.setTaskDidComplete { _, task, _ in log.add(task) }
        _ = await world.download("/bytes/50000", to: place)
        #expect(await log.reaches(1))
        #expect(notices.log.all.contains { $0.object === log.all.first })
    }

    /// A destination in a folder that does not exist.
    private var impossible: URL { place.appendingPathComponent("file") }

    @Test func `UM-06.6 a move that fails is announced with the file error's facts`() async throws {
        let notices = Notices(.urlSessionDownloadTaskDidFailToMoveFile)
        let log = Log<SessionTask>()
        world.manager.setTaskDidComplete { _, task, _ in log.add(task) }
        let outcome = await world.download("/bytes/50000", to: impossible)
        #expect(await log.reaches(1))
        let notice = try #require(notices.log.all.first { $0.object === log.all.first })
        #expect(notice.info.keys == (outcome.error as NSError?)?.userInfo.keys.map { $0 }.asKeys)
        #expect(!notice.info.isEmpty)
    }

    @Test func `UM-06.7 a move that fails is an error; with the switch it is a success, as it was`()
        async
    {
        let repaired = await world.download("/bytes/50000", to: impossible)
        #expect((repaired.error as NSError?)?.domain == NSCocoaErrorDomain)
        #expect(repaired.place == nil)
        world.manager.reportsFailedMoveAsSuccess = true
        let original = await world.download("/bytes/50000", to: impossible)
        #expect(original.error == nil)
        #expect(original.place == impossible)
    }

    @Test func `UM-06.8 the manager's block wins over the task's destination if it returns a URL`()
        async throws
    {
        let other = world.file("other")
        world.manager.setDownloadTaskDidFinishDownloadingBlock { _, _, _ in other }
        #expect(await world.download("/bytes/50000", to: place).place == other)
        #expect(try Data(contentsOf: other) == bytes)
        #expect(!FileManager.default.fileExists(atPath: place.path))
        world.manager.setDownloadTaskDidFinishDownloadingBlock { _, _, _ in nil }
        #expect(await world.download("/bytes/50000", to: place).place == place)
    }

    @Test func `a download of nothing is an empty file`() async throws {
        #expect(await world.download("/bytes/0", to: place).error == nil)
        #expect(try Data(contentsOf: place).isEmpty)
    }

    @Test func `a download that is cut is an error, and nothing is at its destination`() async {
        let outcome = await world.download("/truncated?length=1000&sent=100", to: place)
        #expect(outcome.error is URLError)
        #expect(outcome.place == nil)
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }

    @Test func `a status that is not acceptable is an error of the serializer, with the file`()
        async
    {
        let outcome = await world.download("/status/404", to: place)
        #expect(outcome.code == NSURLErrorBadServerResponse)
        #expect(outcome.place == place)
    }

    @Test func `the blocks hear how much was written`() async {
        let log = Log<[Int64]>()
        world.manager.setDownloadTaskDidWriteDataBlock { _, _, now, all, expected in
            log.add([now, all, expected])
        }
        _ = await world.download("/bytes/50000", to: place)
        #expect(log.all.last?[1...] == [50_000, 50_000])
        #expect(log.all.reduce(0) { $0 + $1[0] } == 50_000)
    }
}

extension [String] {
    fileprivate var asKeys: Dictionary<AnyHashable, Any>.Keys {
        Dictionary(uniqueKeysWithValues: map { (AnyHashable($0), 0 as Any) }).keys
    }
}
