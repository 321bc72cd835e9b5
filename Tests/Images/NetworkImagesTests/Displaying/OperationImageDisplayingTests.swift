import OperationNetworking
import TestSupport

@testable import NetworkImages

/// One after another: the cache is shared by all views.
@Suite("A view of AFNetworking 2", .serialized, .timeLimit(.minutes(5)))
@MainActor
struct OperationImageDisplayingTests {
    private let world = TestWorld.pictures()
    private let view = OldView()
    private let calls = Calls()

    init() {
        OldView.sharedImageCache = AutoPurgingImageCache()
    }

    private func shows(_ width: Int) async -> Bool {
        await comesTrue { view.image?.pixelWidth == width }
    }

    @Test func `placeholder, picture, and the next time the shared cache`() async throws {
        view.setImage(with: world.url("/held/7"), placeholder: try Pixels.plain(1, 1))
        #expect(view.shown == [1] && view.imageOperation.current != nil)
        world.server.release("/held/7")
        #expect(await shows(7))
        #expect(view.imageOperation.current == nil)
        let other = OldView()
        other.setImage(with: world.request("/held/7"), success: calls.success)
        #expect(calls.images.count == 1 && calls.responses == [nil] && other.shown.isEmpty)
        other.setImage(with: world.url("/held/7"))
        #expect(other.shown == [7] && world.server.statistics.requests == 1)
    }

    @Test func `its operations start outside of the pool that callers can fill`() {
        #expect(ImageOperation.sharedQueue.underlyingQueue != nil)
    }

    @Test func `what the placeholder leads to is the latest request`() async throws {
        view.then = { [view, world] in view.setImage(with: world.url("/image/8")) }
        view.setImage(with: world.url("/image/7"), placeholder: try Pixels.plain(1, 1))
        #expect(await shows(8))
        await MainQueue.settle()
        #expect(world.server.requests.map(\.path) == ["/image/8"] && view.shown == [1, 8])
    }

    @Test func `the one before is cancelled, also for the same URL, and never shown`() async throws
    {
        view.setImage(
            with: world.request("/held/7"), success: calls.success, failure: calls.failure)
        #expect(await world.server.reaches("/held/7"))
        view.setImage(with: world.url("/held/7"))
        #expect(await world.server.sees { counts, _ in counts.abandoned == 1 })
        view.setImage(with: world.url("/image/8"))
        world.server.release("/held/7")
        #expect(await shows(8))
        await MainQueue.settle()
        #expect(view.shown == [8] && calls.requests.isEmpty)
    }

    private func holdMain(until operation: Operation) {
        operation.waitUntilFinished()
    }

    @Test(arguments: [7, 8])
    func `what has ended and waits for main is not shown once another is asked for`(_ next: Int)
        async throws
    {
        view.setImage(with: world.url("/image/7"))
        let old = try #require(view.imageOperation.current)
        // This blocks the main queue, on which the operation notifies its view.
        holdMain(until: old)
        // Also of the same URL it is another operation; its cache is empty until main is free.
        view.setImage(with: world.request("/image/\(next)"), success: calls.success)
        #expect(await comesTrue { calls.images.count == 1 })
        await MainQueue.settle()
        #expect(view.shown.isEmpty && calls.images.map(\.pixelWidth) == [next])
        #expect(view.imageOperation.current == nil && world.server.statistics.requests == 2)
    }

    @Test(arguments: [
        URLRequest.CachePolicy.reloadIgnoringLocalCacheData,
        .reloadIgnoringLocalAndRemoteCacheData,
    ])
    func `a policy that reloads passes over the cache`(_ policy: URLRequest.CachePolicy)
        async throws
    {
        for count in 1...2 {
            view.setImage(with: world.request("/image/7", policy: policy), success: calls.success)
            #expect(await comesTrue { calls.images.count == count })
        }
        #expect(world.server.statistics.requests == 2)
        // The third may use the cache, as in AFNetworking.
        let revalidating = URLRequest.CachePolicy.reloadRevalidatingCacheData
        view.setImage(with: world.request("/image/7", policy: revalidating), success: calls.success)
        #expect(calls.images.count == 3 && calls.responses.last == .some(nil))
    }

    @Test func `cancelled, no block is called; a failure leaves the placeholder`() async throws {
        view.setImage(
            with: world.request("/held/7"), placeholder: try Pixels.plain(1, 1),
            success: calls.success, failure: calls.failure)
        #expect(await world.server.reaches("/held/7"))
        view.cancelImageRequestOperation()
        #expect(view.imageOperation.current == nil)
        #expect(await world.server.sees { counts, _ in counts.abandoned == 1 })
        await MainQueue.settle()
        #expect(view.shown == [1] && calls.requests.isEmpty)
        view.setImage(with: world.request("/text"), failure: calls.failure)
        #expect(await comesTrue { calls.errors.count == 1 })
        #expect(calls.errors[0].code == NSURLErrorCannotDecodeContentData && view.shown == [1])
    }

    @Test func `the view's serializer decodes`() async throws {
        let serializer = ImageResponseSerializer()
        serializer.imageScale = 3
        view.imageResponseSerializer = serializer
        view.setImage(with: world.url("/image/7"))
        #expect(await shows(7))
        #expect(view.image?.scale == 3)
    }
}
