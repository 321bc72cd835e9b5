import OperationNetworking
import TestSupport

@testable import NetworkImages

@Suite("Filters of downloaded images", .timeLimit(.minutes(5)))
struct ImageFilterTests {
    private let world = TestWorld.pictures()
    /// Widths, or codes of errors.
    private let ends = Log<Int>()
    /// Whether a run was on main.
    private let runs = Log<Bool>()

    /// Makes a picture of so many pixels of any.
    private func filter(_ width: Int) -> ImageFilter {
        ImageFilter(identifier: "width \(width)") { [runs] _ in
            runs.add(MainQueue.isCurrent)
            return try Pixels.plain(width, 1)
        }
    }

    @discardableResult
    private func download(_ path: String, _ filter: ImageFilter? = nil) -> ImageDownloadReceipt? {
        world.downloader.download(world.request(path), filter: filter) { [ends] _, _, image in
            ends.add(MainQueue.isCurrent ? image.pixelWidth : 0)
        } failure: { [ends] _, _, error in
            ends.add((error as NSError).code)
        }
    }

    private func kept(_ filter: ImageFilter?) -> Int? {
        world.downloader.imageCache?.image(
            for: world.request("/held/7"), withAdditionalIdentifier: filter?.identifier)?.pixelWidth
    }

    @Test func `a filter changes the image off main, and both are kept`() async throws {
        download("/held/7", filter(3))
        world.server.release("/held/7")
        #expect(await ends.reaches(1))
        #expect(ends.all == [3] && runs.all == [false])
        #expect(kept(filter(3)) == 3 && kept(nil) == 7)
    }

    @Test func `each caller has its own filter, and filters with one identifier run once`()
        async throws
    {
        download("/held/7")
        for width in [3, 4, 3, 4, 3] { download("/held/7", filter(width)) }
        #expect(await world.server.reaches("/held/7"))
        world.server.release("/held/7")
        #expect(await ends.reaches(6))
        #expect(ends.all.sorted() == [3, 3, 3, 4, 4, 7])
        #expect(runs.all == [false, false] && world.server.statistics.requests == 1)
    }

    @Test func `what a filter made is kept; another filter takes the kept image`() async throws {
        download("/held/7", filter(3))
        world.server.release("/held/7")
        #expect(await ends.reaches(1))
        #expect(download("/held/7", filter(3)) == nil && download("/held/7", filter(4)) == nil)
        #expect(await ends.reaches(3))
        #expect(ends.all.sorted() == [3, 3, 4] && runs.all.count == 2)
        #expect(kept(filter(4)) == 4 && world.server.statistics.requests == 1)
    }

    @Test func `each request has a target size of its own, and they share a transfer`() async throws
    {
        let sizes = [3, 4].map { PixelSize(width: $0, height: 9) }
        download("/held/7")
        for size in sizes { download("/held/7", .fitting(size)) }
        #expect(await world.server.reaches("/held/7"))
        world.server.release("/held/7")
        #expect(await ends.reaches(3))
        #expect(ends.all.sorted() == [3, 4, 7] && world.server.statistics.requests == 1)
        #expect(kept(.fitting(sizes[0])) == 3 && kept(.fitting(sizes[1])) == 4 && kept(nil) == 7)
    }

    @Test func `an error that a filter throws is its callers' error, and no other caller's`()
        async throws
    {
        let broken = ImageFilter(identifier: "broken") { _ in
            throw CocoaError(.featureUnsupported)
        }
        download("/held/7", broken)
        download("/held/7")
        world.server.release("/held/7")
        #expect(await ends.reaches(2))
        #expect(ends.all.sorted() == [7, CocoaError.featureUnsupported.rawValue].sorted())
        #expect(kept(broken) == nil)
    }
}
