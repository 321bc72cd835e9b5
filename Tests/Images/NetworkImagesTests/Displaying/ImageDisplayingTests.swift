import OperationNetworking
import TestSupport

@testable import NetworkImages

@Suite("A view of one picture (IM-27 to IM-35)", .timeLimit(.minutes(5)))
@MainActor
struct ImageDisplayingTests {
    private let world = TestWorld.pictures()
    private let view: View
    private let calls = Calls()

    init() {
        view = View(world.downloader)
    }

    private func shows(_ width: Int) async -> Bool {
        await comesTrue { view.image?.pixelWidth == width }
    }

    // MARK: One picture

    @Test func `a picture is downloaded and shown, asked for with Accept: image`() async throws {
        view.setImage(with: world.url("/image/7"))
        #expect(view.imageLoad.isLoading && view.imageLoad.receipt != nil)
        #expect(await shows(7))
        #expect(!view.imageLoad.isLoading && view.imageLoad.receipt == nil)
        #expect(view.shown == [7])
        #expect(world.server.requests.first?.headers["Accept"] == "image/*")
    }

    @Test func `the placeholder is shown at once, and the picture after it`() async throws {
        view.setImage(with: world.url("/held/7"), placeholder: try Pixels.plain(1, 1))
        #expect(view.shown == [1])
        world.server.release("/held/7")
        #expect(await shows(7))
        #expect(view.shown == [1, 7])
    }

    @Test func `without a placeholder the old picture stays until the new one comes`() async throws
    {
        view.image = try Pixels.plain(3, 1)
        view.setImage(with: world.url("/held/7"))
        #expect(view.shown == [3])
        world.server.release("/held/7")
        #expect(await shows(7))
    }

    @Test func `after a failure the placeholder stays, and failure has the error`() async throws {
        view.setImage(
            with: world.request("/nothing"), placeholder: try Pixels.plain(1, 1),
            success: calls.success, failure: calls.failure)
        #expect(await comesTrue { calls.errors.count == 1 })
        #expect(calls.errors[0].code == NSURLErrorBadServerResponse)
        #expect(calls.responses[0]?.statusCode == 404)
        #expect(view.shown == [1] && calls.images.isEmpty && !view.imageLoad.isLoading)
    }

    @Test func `with a success block the picture is given to it and not shown`() async throws {
        view.setImage(
            with: world.request("/image/7"), success: calls.success, failure: calls.failure)
        #expect(await comesTrue { calls.images.count == 1 })
        #expect(calls.images[0].pixelWidth == 7 && view.shown.isEmpty)
        #expect(calls.responses[0]?.statusCode == 200)
        #expect(calls.requests[0].url == world.url("/image/7"))
    }

    @Test func `a kept picture is shown before the call returns, without the placeholder`()
        async throws
    {
        view.setImage(with: world.url("/image/7"))
        #expect(await shows(7))
        let other = View(world.downloader)
        other.setImage(with: world.url("/image/7"), placeholder: try Pixels.plain(1, 1))
        #expect(other.shown == [7] && !other.imageLoad.isLoading)
        other.setImage(with: world.request("/image/7"), success: calls.success)
        #expect(calls.images.count == 1 && calls.responses == [nil])
        #expect(world.server.statistics.requests == 1)
    }

    @Test func `a request that reloads passes over what is kept`() async throws {
        view.setImage(with: world.url("/image/7"))
        #expect(await shows(7))
        view.setImage(
            with: world.request("/image/7", policy: .reloadIgnoringLocalCacheData),
            success: calls.success)
        #expect(calls.images.isEmpty)
        #expect(await comesTrue { calls.images.count == 1 })
        #expect(calls.responses[0] != nil && world.server.statistics.requests == 2)
    }

    @Test
    func `without a URL the old one is cancelled, and placeholder and failure come at once`()
        async throws
    {
        view.setImage(with: world.request("/held/7"))
        #expect(await world.server.reaches("/held/7"))
        view.setImage(
            with: nil, placeholder: try Pixels.plain(1, 1), success: calls.success,
            failure: calls.failure)
        #expect(view.shown == [1] && calls.errors.map(\.code) == [NSURLErrorBadURL])
        #expect(await world.server.sees { counts, _ in counts.abandoned == 1 })
        view.setImage(with: nil)
        #expect(view.shown == [1, 0])
        await MainQueue.settle()
        #expect(view.shown == [1, 0])
    }

    // MARK: Several requests

    @Test func `the same URL under way is not sent again, and both callers are called`()
        async throws
    {
        view.setImage(with: world.request("/held/7"), success: calls.success)
        let receipt = view.imageLoad.receipt?.receiptID
        view.setImage(with: world.request("/held/7"), success: calls.success)
        view.setImage(with: world.request("/held/7"))
        #expect(view.imageLoad.receipt?.receiptID == receipt)
        world.server.release("/held/7")
        #expect(await shows(7))
        #expect(calls.images.count == 2 && world.server.statistics.requests == 1)
    }

    @Test func `with the switch of the original the second caller of a URL is never called`()
        async throws
    {
        view.imageLoad.ignoresRepeatedRequests = true
        view.setImage(with: world.request("/held/7"))
        view.setImage(with: world.request("/held/7"), success: calls.success)
        world.server.release("/held/7")
        #expect(await shows(7))
        await MainQueue.settle()
        #expect(calls.images.isEmpty)
    }

    @Test func `the same URL with another credential is another picture`() async throws {
        view.setImage(with: world.request("/held/7"), success: calls.success)
        #expect(await world.server.reaches("/held/7"))
        var other = world.request("/held/7")
        other.setValue("Bearer 1", forHTTPHeaderField: "Authorization")
        view.setImage(with: other)
        world.server.release("/held/7")
        #expect(await shows(7))
        #expect(calls.images.isEmpty && world.server.statistics.requests == 2)
    }

    @Test func `another URL cancels the one before, whose blocks are not called`() async throws {
        view.setImage(
            with: world.request("/held/7"), success: calls.success, failure: calls.failure)
        #expect(await world.server.reaches("/held/7"))
        view.setImage(with: world.url("/image/8"))
        #expect(await world.server.sees { counts, _ in counts.abandoned == 1 })
        #expect(await shows(8))
        await MainQueue.settle()
        #expect(view.shown == [8] && calls.requests.isEmpty)
    }

    @Test func `a cancelled picture does not come, and can be asked for again at once`()
        async throws
    {
        view.setImage(
            with: world.request("/held/7"), success: calls.success, failure: calls.failure)
        view.cancelImageDownload()
        #expect(!view.imageLoad.isLoading)
        view.setImage(with: world.url("/held/7"))
        world.server.release("/held/7")
        #expect(await shows(7))
        await MainQueue.settle()
        #expect(calls.requests.isEmpty && view.shown == [7])
    }

    @Test func `a block that asks for another picture is not overwritten by the one it got`()
        async throws
    {
        let (view, world) = (view, world)
        view.setImage(with: world.request("/held/7")) { _, _, _ in
            view.setImage(with: world.url("/image/8"))
        }
        view.setImage(with: world.request("/held/7"))
        world.server.release("/held/7")
        #expect(await shows(8))
        #expect(view.shown == [8])
    }

    // MARK: Re-entrance

    @Test func `what the placeholder leads to is the latest request, or the cancel`() async throws {
        let restless = Restless(world.downloader)
        restless.then = { [world] in restless.setImage(with: world.url("/image/8")) }
        restless.setImage(
            with: world.request("/image/7"), placeholder: try Pixels.plain(1, 1),
            success: calls.success, failure: calls.failure)
        #expect(await comesTrue { restless.image?.pixelWidth == 8 })
        restless.then = { restless.cancelImageDownload() }
        restless.setImage(with: world.request("/image/9"), placeholder: try Pixels.plain(1, 1))
        #expect(!restless.imageLoad.isLoading)
        await MainQueue.settle()
        #expect(world.server.requests.map(\.path) == ["/image/8"])
        #expect(calls.images.isEmpty && calls.errors.isEmpty && restless.image?.pixelWidth == 1)
    }

    @Test func `a request without a URL does not fail behind what its placeholder led to`()
        async throws
    {
        let restless = Restless(world.downloader)
        restless.then = { [world] in restless.setImage(with: world.url("/image/8")) }
        restless.setImage(
            with: nil, placeholder: try Pixels.plain(1, 1), failure: calls.failure)
        #expect(await comesTrue { restless.image?.pixelWidth == 8 })
        #expect(calls.errors.isEmpty)
    }

    // MARK: Downloaders

    @Test func `one view's cancel leaves those on its downloader, and on the next one`()
        async throws
    {
        let shared = View.sharedImageDownloader
        defer { View.sharedImageDownloader = shared }
        let views = (0..<3).map { _ in View() }
        View.sharedImageDownloader = world.downloader
        views[0].setImage(with: world.url("/held/7"))
        views[1].setImage(with: world.url("/held/7"))
        View.sharedImageDownloader = try ImageDownloader(manager: world.manager)
        views[2].setImage(with: world.url("/held/7"))
        #expect(await world.server.reaches("/held/7", count: 2))
        views[0].cancelImageDownload()
        world.server.release("/held/7")
        #expect(await comesTrue { views[1...].allSatisfy { $0.image?.pixelWidth == 7 } })
        #expect(views[0].shown.isEmpty)
    }

    @Test func `the view's own downloader comes before the shared one, which can be replaced`()
        async throws
    {
        let shared = View.sharedImageDownloader
        defer { View.sharedImageDownloader = shared }
        let other = TestWorld.pictures()
        View.sharedImageDownloader = other.downloader
        #expect(Button.sharedImageDownloader === other.downloader)
        view.setImage(with: world.url("/image/7"))
        let plain = View()
        plain.setImage(with: other.request("/held/8"))
        #expect(await shows(7))
        // The one that loads is cancelled, not the one that took its place.
        View.sharedImageDownloader = world.downloader
        #expect(await other.server.reaches("/held/8"))
        plain.cancelImageDownload()
        #expect(await other.server.sees { counts, _ in counts.abandoned == 1 })
        #expect(await comesTrue { other.downloader.counts == (0, 0) })
    }

    /// A cache that has an image from the second look on.
    private final class LateCache: ImageRequestCache {
        private let looks = Watched(0)
        private let image: DecodedImage

        init(_ image: DecodedImage) { self.image = image }

        func add(
            _ image: DecodedImage, for request: URLRequest,
            withAdditionalIdentifier identifier: String?
        ) {}
        func add(_ image: DecodedImage, withIdentifier identifier: String) {}
        func image(
            for request: URLRequest, withAdditionalIdentifier identifier: String?
        ) -> DecodedImage? {
            looks.change { looks in
                looks += 1
                return looks > 1 ? image : nil
            }
        }
        func image(withIdentifier identifier: String) -> DecodedImage? { nil }
        func removeImage(
            for request: URLRequest, withAdditionalIdentifier identifier: String?
        ) -> Bool { false }
        func removeImage(withIdentifier identifier: String) -> Bool { false }
        func removeAllImages() -> Bool { false }
    }

    @Test func `an image that comes between the view's look and the downloader's is shown`()
        async throws
    {
        let cache = LateCache(try Pixels.plain(5, 1))
        view.imageLoad.downloader = try ImageDownloader(manager: world.manager, imageCache: cache)
        view.setImage(with: world.url("/image/7"))
        #expect(view.imageLoad.receipt == nil && view.imageLoad.isLoading)
        #expect(await shows(5))
        #expect(!view.imageLoad.isLoading && world.server.statistics.requests == 0)
    }

    @Test func `a filter changes the picture before it is shown, and is kept under its name`()
        async throws
    {
        let filter = ImageFilter(identifier: "half") { _ in try Pixels.plain(3, 1) }
        view.setImage(with: world.url("/image/7"), filter: filter)
        #expect(await shows(3))
        let other = View(world.downloader)
        other.setImage(with: world.url("/image/7"), filter: filter)
        #expect(other.shown == [3])
    }

    @Test func `a view that goes hears nothing, and its picture comes into the cache`() async throws
    {
        weak var gone: View?
        do {
            let view = View(world.downloader)
            gone = view
            view.setImage(with: world.request("/held/7"), success: calls.success)
        }
        #expect(gone == nil)
        world.server.release("/held/7")
        let kept = world.downloader.imageCache
        #expect(
            await comesTrue {
                kept?.image(for: world.request("/held/7"), withAdditionalIdentifier: nil) != nil
            })
        await MainQueue.settle()
        #expect(calls.requests.isEmpty)
    }
}
