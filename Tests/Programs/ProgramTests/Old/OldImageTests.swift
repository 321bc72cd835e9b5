import AFNetworking
@testable import OldAFNetworking
import TestSupport

/// A view of 2.x, whose cache all views share.
private final class Portrait: OperationImageDisplaying {
    let imageOperation = ImageOperation()
    var image: DecodedImage?
}

private final class MenuButton: KeyedImageDisplaying {
    enum State: Sendable { case normal, selected }

    let imageLoads = ImageLoads<ControlImageKey<State>>()
    var images: [ControlImageKey<State>: DecodedImage] = [:]

    func showImage(_ image: DecodedImage?, for key: ControlImageKey<State>) {
        images[key] = image
    }
}

private final class Wheel: ActivityDisplaying, RefreshDisplaying, ProgressDisplaying {
    let activityBinding = WorkBinding()
    let refreshBinding = WorkBinding()
    let progressBinding = WorkBinding()
    var isAnimating = false
    var isRefreshing = false
    var fraction: Float = 0

    func startAnimating() { isAnimating = true }
    func stopAnimating() { isAnimating = false }
    func beginRefreshing() { isRefreshing = true }
    func endRefreshing() { isRefreshing = false }
    func setProgress(_ fraction: Float, animated: Bool) { self.fraction = fraction }
}

@Suite("The old names of images", .serialized, .timeLimit(.minutes(5)))
@MainActor
struct OldImageTests {
    private let world: TestWorld
    private let gray: DecodedImage

    init() throws {
        world = TestWorld(programs: .standard)
        gray = try #require(
            DecodedImage(
                pixels: Data(repeating: 9, count: 4), size: PixelSize(width: 1, height: 1)))
        let pixels = Data(repeating: 255, count: 5 * 2 * 4)
        let picture = try #require(
            DecodedImage(pixels: pixels, size: PixelSize(width: 5, height: 2)))
        let png = try PNGEncoder().data(for: picture)
        world.server.add("/picture") { _ in .data(png, contentType: "image/png") }
        world.server.add("/slow") { _ in
            ScriptedResponse.data(png, contentType: "image/png").after(.wait(gate: "slow"))
        }
    }

    private func url(_ path: String) throws -> URL {
        try #require(URL(string: world.address(path)))
    }

    @available(*, deprecated)
    @Test func `a view of 3.x and 4.x`() async throws {
        let shared = PictureCell.sharedImageDownloader()
        defer { PictureCell.setSharedImageDownloader(shared) }
        let manager = AFHTTPSessionManager()
        manager.responseSerializer = AFImageResponseSerializer()
        let cache = AFAutoPurgingImageCache(
            memoryCapacity: 1 << 20, preferredMemoryCapacity: 2 << 20)
        #expect(cache.preferredMemoryUsageAfterPurge == 1 << 20)
        let downloader = AFImageDownloader(
            sessionManager: manager, downloadPrioritization: .lifo, maximumActiveDownloads: 2,
            imageCache: cache)
        #expect(downloader.sessionManager === manager && downloader.maximumActiveDownloads == 2)
        PictureCell.setSharedImageDownloader(downloader)
        let cell = PictureCell()
        cell.setImageWith(try url("/slow"), placeholderImage: gray)
        #expect(cell.image == gray)
        cell.cancelImageDownloadTask()
        cell.setImageWith(try url("/picture"))
        #expect(await comesTrue { cell.image?.pixelWidth == 5 })
        let request = try URLRequest(url: url("/picture"))
        #expect(cache.imageforRequest(request, withAdditionalIdentifier: nil) != nil)
        #expect(cache.shouldCache(gray, for: request, withAdditionalIdentifier: nil))
        #expect(cache.removeImageforRequest(request, withAdditionalIdentifier: nil))
        manager.invalidateSessionCancelingTasks(true, resetSession: false)
    }

    @available(*, deprecated)
    @Test func `a downloader by its old calls`() async throws {
        let downloader = AFImageDownloader(sessionConfiguration: .ephemeral)
        #expect(AFImageDownloader.defaultInstance() === AFImageDownloader.default)
        #expect(AFImageDownloader.defaultURLSessionConfiguration().timeoutIntervalForRequest == 60)
        let cache = AFImageDownloader.defaultURLCache()
        #expect(cache?.diskCapacity == 150 << 20)
        let request = try URLRequest(url: url("/slow"))
        let id = UUID()
        let ends = Log<Int>()
        let receipt: AFImageDownloadReceipt? = downloader.downloadImage(
            for: request, withReceiptID: id, success: nil,
            failure: { _, _, error in ends.add((error as NSError).code) })
        downloader.downloadImage(
            for: request, success: { _, _, image in ends.add(image.pixelWidth) }, failure: nil)
        #expect(receipt?.receiptID == id)
        downloader.cancelTask(for: try #require(receipt))
        #expect(await ends.reaches(1))
        world.server.release("slow")
        #expect(await ends.reaches(2))
        #expect(ends.all == [NSURLErrorCancelled, 5])
        downloader.sessionManager?.invalidateSessionCancelingTasks(true, resetSession: false)
    }

    @available(*, deprecated)
    @Test func `a view of 2.x`() async throws {
        let cache: any AFImageRequestCache = AFAutoPurgingImageCache()
        Portrait.setSharedImageCache(cache)
        let view = Portrait()
        view.imageResponseSerializer = AFImageResponseSerializer()
        view.setImageWith(try url("/slow"), placeholderImage: gray)
        #expect(view.image == gray)
        view.cancelImageRequestOperation()
        view.setImageWith(try url("/picture"))
        #expect(await comesTrue { view.image?.pixelWidth == 5 })
        var request = try URLRequest(url: url("/picture"))
        #expect(Portrait.sharedImageCache().cachedImage(for: request) != nil)
        request.url = try url("/other")
        Portrait.sharedImageCache().cacheImage(gray, for: request)
        var got: HTTPURLResponse?
        view.setImageWith(request, placeholderImage: nil) { _, response, image in
            got = response
            view.image = image
        }
        #expect(view.image == gray && got == nil)
    }

    @available(*, deprecated)
    @Test func `a button`() async throws {
        let shared = MenuButton.sharedImageDownloader()
        MenuButton.setSharedImageDownloader(AFImageDownloader())
        defer { MenuButton.setSharedImageDownloader(shared) }
        let button = MenuButton()
        button.setImageFor(.normal, with: try url("/picture"))
        button.setBackgroundImageFor(.normal, with: try url("/picture"), placeholderImage: gray)
        button.setImageFor(.selected, with: try url("/slow"), placeholderImage: gray)
        button.setBackgroundImageFor(.selected, with: try url("/slow"), placeholderImage: gray)
        button.cancelImageDownloadTask(for: .selected)
        button.cancelBackgroundImageDownloadTask(for: .selected)
        world.server.release("slow")
        #expect(
            await comesTrue {
                button.images[ControlImageKey(.normal)]?.pixelWidth == 5
                    && button.images[ControlImageKey(.normal, .background)]?.pixelWidth == 5
            })
        var images: [DecodedImage] = []
        button.setImageFor(
            .selected, with: try URLRequest(url: url("/picture")), placeholderImage: nil,
            success: { _, _, image in images.append(image) })
        button.setBackgroundImageFor(
            .selected, with: try URLRequest(url: url("/picture")), placeholderImage: nil,
            success: { _, _, image in images.append(image) })
        #expect(images.count == 2 && button.images[ControlImageKey(.selected)] == gray)
    }

    @available(*, deprecated)
    @Test func `indicators of a task and of an operation`() async throws {
        let manager = AFURLSessionManager(sessionConfiguration: nil)
        manager.responseSerializer = AFHTTPResponseSerializer()
        let task: URLSessionDataTask = manager.dataTask(
            with: try URLRequest(url: url("/slow")), uploadProgress: nil, downloadProgress: nil,
            completionHandler: nil)
        let wheel = Wheel()
        wheel.setAnimatingWithStateOf(task)
        wheel.setRefreshingWithStateOf(task)
        task.resume()
        #expect(await comesTrue { wheel.isAnimating && wheel.isRefreshing })
        world.server.release("slow")
        #expect(await comesTrue { !wheel.isAnimating && !wheel.isRefreshing })
        let operation = AFHTTPRequestOperation(request: try URLRequest(url: url("/picture")))
        wheel.setProgressWithDownloadProgressOf(operation, animated: true)
        operation.start()
        #expect(await comesTrue { wheel.fraction == 1 })
        manager.invalidateSessionCancelingTasks(true, resetSession: false)
    }
}
