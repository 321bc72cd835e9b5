import OperationNetworking
import TestSupport

@testable import NetworkImages

@Suite("An awaited image", .timeLimit(.minutes(5)))
struct AwaitedImageTests {
    private let world = TestWorld.pictures()

    private func ask(_ path: String, _ filter: ImageFilter? = nil) -> Task<Int, any Error> {
        let (downloader, request) = (world.downloader, world.request(path))
        return Task { try await downloader.image(for: request, filter: filter).pixelWidth }
    }

    @Test func `it comes from the network, filtered, and then from the cache`() async throws {
        let filter = ImageFilter(identifier: "three") { _ in try Pixels.plain(3, 1) }
        world.server.release("/held/7")
        #expect(try await ask("/held/7", filter).value == 3)
        #expect(try await ask("/held/7", filter).value == 3)
        #expect(try await ask("/held/7").value == 7)
        #expect(world.server.statistics.requests == 1)
    }

    @Test func `a cancelled wait ends at once; who shares the transfer goes on`() async throws {
        // It shares from now on, whenever the task runs.
        let widths = Log<Int>()
        world.downloader.download(world.request("/held/7")) { _, _, image in
            widths.add(image.pixelWidth)
        }
        let first = ask("/held/7")
        #expect(await world.server.reaches("/held/7"))
        first.cancel()
        let error = await #expect(throws: URLError.self) { try await first.value }
        #expect(error?.code == .cancelled)
        world.server.release("/held/7")
        #expect(await widths.reaches(1))
        #expect(widths.all == [7] && world.server.statistics.requests == 1)
    }

    @Test func `what fails is thrown`() async throws {
        let downloader = world.downloader
        var request = world.request("/held/7")
        request.url = nil
        let nowhere = request
        let error = await #expect(throws: URLError.self) {
            _ = try await downloader.image(for: nowhere)
        }
        #expect(error?.code == .badURL)
        let missing = ask("/nothing-here")
        await #expect(throws: ResponseSerializationError.self) { try await missing.value }
    }
}
