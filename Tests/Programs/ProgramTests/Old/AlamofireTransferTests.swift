import Alamofire
@testable import OldAlamofire
import TestSupport

@Suite("Old programs: downloads and uploads", .timeLimit(.minutes(2)))
struct AlamofireTransferTests {

    @Test
    func `a suggested name, and a download in memory`() async throws {
        let world = TestWorld(programs: .httpbin)
        let name = "old-\(UUID().uuidString).txt"
        world.server.add("/" + name) { _ in .text("hello") }
        let download = OldAlamofire.PictureDownload(folder: world.folder)
        let url: URL? = await answer {
            download.fetchBySuggestedName(world.address("/" + name), completion: $0)
        }
        defer { url.map { try? FileManager.default.removeItem(at: $0) } }
        #expect(url?.lastPathComponent == name)
        #expect(
            await answer { download.size(world.address("/bytes/50000"), completion: $0) } == 50_000)
    }

    @Test
    func `a download that was stopped goes on`() async throws {
        let world = TestWorld(programs: .httpbin)
        let body = Data(repeating: 7, count: 200_000)
        world.addTape("/file", body)
        let download = ResumingDownload()
        let ends = Log<Data?>()
        download.fetch(world.address("/file")) { ends.add($0) }
        #expect(await comesTrue { download.request?.progress.completedUnitCount == 100_000 })
        download.stop()
        #expect(await ends.reaches(1))
        #expect(ends.all == [nil])
        world.server.release("half")
        let second: Data? = await answer { download.fetch(world.address("/file"), completion: $0) }
        let isWhole = second == body
        #expect(isWhole)
        #expect(world.server.requests.last?.headers["Range"] == "bytes=100000-")
    }

    @Test
    func `uploads: bytes, a stream`() async throws {
        let world = TestWorld(programs: .httpbin)
        let uploader = OldAlamofire.Uploader()
        let bytes = Data("hello".utf8)
        #expect(
            await answer { uploader.send(bytes, to: world.address("/put"), completion: $0) } == 200)
        #expect(
            await answer {
                uploader.stream(bytes, to: world.server.url("/post"), completion: $0)
            } == 200)
        #expect(world.server.requests.suffix(2).map(\.body) == [bytes, bytes])
    }

    @Test
    func `a form from disk`() async throws {
        let world = TestWorld(programs: .httpbin)
        let form = OldAlamofire.PhotoForm()
        let (isFromDisk, file): (Bool, URL?) = await answer { finish in
            form.sendFromDisk(Data(count: 1_000), to: world.server.url("/post")) {
                finish(($0, $1))
            }
        }
        #expect(isFromDisk)
        #expect(file != nil)
    }
}
