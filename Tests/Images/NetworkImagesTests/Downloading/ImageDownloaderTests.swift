import CurlConnection
import OperationNetworking
import TestSupport

@testable import NetworkImages

@Suite("The image downloader (IM-01 to IM-16)", .timeLimit(.minutes(5)))
struct ImageDownloaderTests {
    /// What a handler was called with.
    private struct End: Sendable {
        let request: URLRequest
        let response: HTTPURLResponse?
        let image: DecodedImage?
        let error: NSError?
        let isOnMain: Bool
    }

    private let server = LoopbackServer.started(routes: Routes())
    private let manager = ImageDownloader.defaultManager()
    private let ends = Log<End>()

    init() throws {
        manager.configuration.responseCache = nil
        let gradient = try Pixels.file("gradient.png")
        server.add("/image/", isPrefix: true) { _ in .data(gradient, contentType: "image/png") }
        server.add("/held/", isPrefix: true) { _ in
            ScriptedResponse([
                .wait(gate: "held"),
                .bytes(
                    ScriptedResponse.head(
                        200,
                        [("Content-Type", "image/png"), ("Content-Length", "\(gradient.count)")]
                    ) + gradient),
            ])
        }
        server.add("/garbage") { _ in .text("no image", contentType: "image/png") }
        server.add("/moved") { _ in .status(302, headers: [("Location", "/image/moved")]) }
    }

    private func downloader(
        limit: Int = 4, _ order: TransferOrder = .fifo,
        cache: (any ImageRequestCache)? = AutoPurgingImageCache()
    ) throws -> ImageDownloader {
        try ImageDownloader(
            manager: manager, downloadPrioritization: order, maximumActiveDownloads: limit,
            imageCache: cache)
    }

    private func request(
        _ path: String, _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) -> URLRequest {
        // Its time-out is no cancel that a test could wait for by mistake.
        URLRequest(url: server.url(path), cachePolicy: policy, timeoutInterval: 600)
    }

    @discardableResult
    private func download(
        _ downloader: ImageDownloader, _ request: URLRequest, id: UUID = UUID()
    ) -> ImageDownloadReceipt? {
        downloader.download(request, receiptID: id) { [ends] request, response, image in
            ends.add(
                End(
                    request: request, response: response, image: image, error: nil,
                    isOnMain: MainQueue.isCurrent))
        } failure: { [ends] request, response, error in
            ends.add(
                End(
                    request: request, response: response, image: nil, error: error as NSError,
                    isOnMain: MainQueue.isCurrent))
        }
    }

    // MARK: Downloads

    @Test func `the shared downloader has the original's defaults`() {
        let shared = ImageDownloader.default
        #expect(shared === ImageDownloader.default)
        #expect(shared.maximumActiveDownloads == 4 && shared.downloadPrioritization == .fifo)
        #expect(shared.imageCache is AutoPurgingImageCache)
        let manager = ImageDownloader.defaultManager()
        #expect(manager.responseSerializer is ImageResponseSerializer)
        #expect(manager.configuration.responseCache?.memoryCapacity == 20 << 20)
        #expect(manager.configuration.cookieStorage != nil)
    }

    @Test func `the original's configuration makes no folder in the working directory`() {
        let name = "com.alamofire.imagedownloader"
        let exists = FileManager.default.fileExists(atPath: name)
        let configuration = ImageDownloader.defaultURLSessionConfiguration
        #expect(configuration.timeoutIntervalForRequest == 60)
        #expect(configuration.urlCache?.memoryCapacity == 20 << 20)
        #expect(configuration.urlCache?.diskCapacity == 150 << 20)
        #expect(FileManager.default.fileExists(atPath: name) == exists)
    }

    @Test func `an image is downloaded; its handler is called on main with the caller's request`()
        async throws
    {
        let downloader = try downloader()
        let id = UUID()
        let receipt = try #require(download(downloader, request("/image/1"), id: id))
        #expect(receipt.receiptID == id)
        #expect(await ends.reaches(1))
        let end = try #require(ends.all.first)
        #expect(end.image?.pixelWidth == 160 && end.response?.statusCode == 200 && end.isOnMain)
        #expect(end.request.url == server.url("/image/1"))
    }

    @Test func `several images are downloaded at the same time`() async throws {
        let downloader = try downloader()
        for number in 0..<2 { download(downloader, request("/held/\(number)")) }
        #expect(await server.reaches("held", count: 2))
        server.release("held")
        #expect(await ends.reaches(2))
        #expect(ends.all.allSatisfy { $0.image != nil } && server.statistics.requests == 2)
    }

    @Test func `without a URL there is no receipt, and a failure on main, later`() async throws {
        let downloader = try downloader()
        var request = self.request("/")
        request.url = nil
        #expect(download(downloader, request) == nil)
        #expect(await ends.reaches(1))
        #expect(ends.all.first?.error?.code == NSURLErrorBadURL)
        #expect(ends.all.first?.isOnMain == true)
    }

    @Test func `an error comes on main, with the response there is`() async throws {
        let downloader = try downloader()
        download(downloader, request("/nothing"))
        #expect(await ends.reaches(1))
        let end = try #require(ends.all.first)
        #expect(end.error?.code == NSURLErrorBadServerResponse && end.isOnMain)
        #expect(end.response?.statusCode == 404)
    }

    @Test func `a body that is no image is an error, and nothing is kept`() async throws {
        let cache = AutoPurgingImageCache()
        let downloader = try downloader(cache: cache)
        download(downloader, request("/garbage"))
        #expect(await ends.reaches(1))
        #expect(ends.all.first?.error?.code == NSURLErrorCannotDecodeContentData)
        #expect(cache.memoryUsage == 0)
        // So is what another serializer makes.
        manager.responseSerializer = HTTPResponseSerializer()
        download(downloader, request("/image/1"))
        #expect(await ends.reaches(2))
        #expect(ends.all.last?.error?.code == NSURLErrorCannotDecodeContentData)
        #expect(cache.memoryUsage == 0)
    }

    @Test func `behind a redirect the image is kept under the URL that was asked for`() async throws
    {
        let cache = AutoPurgingImageCache()
        let downloader = try downloader(cache: cache)
        download(downloader, request("/moved"))
        #expect(await ends.reaches(1))
        #expect(ends.all.first?.image != nil)
        #expect(cache.image(for: request("/moved"), withAdditionalIdentifier: nil) != nil)
        #expect(cache.image(for: request("/image/moved"), withAdditionalIdentifier: nil) == nil)
    }

    // MARK: Merging

    @Test func `100 requests of one URL are one on the server`() async throws {
        let downloader = try downloader()
        let receipts = (0..<100).compactMap { _ in download(downloader, request("/held/1")) }
        #expect(receipts.count == 100)
        #expect(receipts.allSatisfy { $0.task === receipts[0].task })
        #expect(await server.reaches("held"))
        server.release("held")
        #expect(await ends.reaches(100))
        #expect(server.statistics.requests == 1)
        let images = ends.all.compactMap(\.image)
        #expect(images.count == 100 && images.allSatisfy { $0 == images[0] })
    }

    @Test func `99 of 100 are cancelled, and the last gets its image`() async throws {
        let downloader = try downloader()
        let receipts = (0..<100).compactMap { _ in download(downloader, request("/held/1")) }
        #expect(await server.reaches("held"))
        for receipt in receipts.dropLast() { downloader.cancel(receipt) }
        #expect(await ends.reaches(99))
        #expect(ends.all.allSatisfy { $0.error?.code == NSURLErrorCancelled && $0.isOnMain })
        server.release("held")
        #expect(await ends.reaches(100))
        #expect(ends.all.last?.image != nil && server.statistics.requests == 1)
        #expect(server.statistics.abandoned == 0)
    }

    // MARK: The cache

    @Test(arguments: [
        URLRequest.CachePolicy.useProtocolCachePolicy, .returnCacheDataElseLoad,
        .returnCacheDataDontLoad,
    ])
    func `a kept image is a success without response, receipt and request`(
        _ policy: URLRequest.CachePolicy
    ) async throws {
        let downloader = try downloader()
        download(downloader, request("/image/1"))
        #expect(await ends.reaches(1))
        #expect(download(downloader, request("/image/1", policy)) == nil)
        #expect(await ends.reaches(2))
        let end = try #require(ends.all.last)
        #expect(end.response == nil && end.isOnMain && end.image == ends.all[0].image)
        #expect(server.statistics.requests == 1)
    }

    @Test func `a policy that reloads passes over what is kept`() async throws {
        let downloader = try downloader()
        for count in 1...2 {
            let request = request("/image/1", .reloadIgnoringLocalCacheData)
            #expect(download(downloader, request) != nil)
            #expect(await ends.reaches(count))
        }
        #expect(server.statistics.requests == 2 && ends.all.allSatisfy { $0.response != nil })
    }

    /// A cache that is asked, and says yes or no.
    private final class Asked: ImageRequestCache {
        let answer: Bool
        let log = Log<String>()

        init(_ answer: Bool) { self.answer = answer }

        func shouldCacheImage(
            _ image: DecodedImage, for request: URLRequest,
            withAdditionalIdentifier identifier: String?
        ) -> Bool {
            log.add("asked")
            return answer
        }
        func add(
            _ image: DecodedImage, for request: URLRequest,
            withAdditionalIdentifier identifier: String?
        ) { log.add("added") }
        func add(_ image: DecodedImage, withIdentifier identifier: String) {}
        func image(
            for request: URLRequest, withAdditionalIdentifier identifier: String?
        ) -> DecodedImage? { nil }
        func image(withIdentifier identifier: String) -> DecodedImage? { nil }
        func removeImage(
            for request: URLRequest, withAdditionalIdentifier identifier: String?
        ) -> Bool { false }
        func removeImage(withIdentifier identifier: String) -> Bool { false }
        func removeAllImages() -> Bool { false }
    }

    @Test(arguments: [true, false])
    func `the cache is asked whether it wants an image`(_ answer: Bool) async throws {
        let cache = Asked(answer)
        let downloader = try downloader(cache: cache)
        download(downloader, request("/image/1"))
        #expect(await ends.reaches(1))
        #expect(cache.log.all == (answer ? ["asked", "added"] : ["asked"]))
    }

    @Test func `without a cache every request is one on the server`() async throws {
        let downloader = try downloader(cache: nil)
        for count in 1...2 {
            #expect(download(downloader, request("/image/1")) != nil)
            #expect(await ends.reaches(count))
        }
        #expect(server.statistics.requests == 2)
    }
}

extension ImageDownloaderTests {
    // MARK: Cancelling

    @Test func `a cancelled download fails with -999 at once, and the server sees it go`()
        async throws
    {
        let downloader = try downloader()
        let receipt = try #require(download(downloader, request("/held/1")))
        #expect(await server.reaches("held"))
        downloader.cancel(receipt)
        #expect(await ends.reaches(1))
        #expect(ends.all[0].error?.code == NSURLErrorCancelled && ends.all[0].isOnMain)
        #expect(await server.sees { counts, _ in counts.abandoned == 1 })
        await MainQueue.settle()
        #expect(ends.all.count == 1)
    }

    @Test func `after a cancel the same URL is a new transfer`() async throws {
        let downloader = try downloader()
        let receipt = try #require(download(downloader, request("/held/1")))
        downloader.cancel(receipt)
        #expect(await ends.reaches(1))
        let again = try #require(download(downloader, request("/held/1")))
        #expect(again.task !== receipt.task)
        server.release("held")
        #expect(await ends.reaches(2))
        #expect(ends.all[1].image != nil)
    }

    @Test func `with a limit of 1, cancelling a waiting one starts no other`() async throws {
        let downloader = try downloader(limit: 1)
        download(downloader, request("/held/a"))
        let waiting = try #require(download(downloader, request("/held/b")))
        #expect(await server.reaches("held"))
        downloader.cancel(waiting)
        download(downloader, request("/held/c"))
        #expect(downloader.counts == (1, 1))
        server.release("held")
        #expect(await ends.reaches(3))
        #expect(server.requests.map(\.path) == ["/held/a", "/held/c"])
        #expect(server.statistics.peakInFlight == 1)
    }

    @Test func `a limit of 0 is refused`() {
        #expect(throws: SharedTransferError.noActiveTransfers(0)) { try self.downloader(limit: 0) }
    }

    @Test(arguments: [TransferOrder.fifo, .lifo])
    func `those that wait come in their order`(_ order: TransferOrder) async throws {
        let downloader = try downloader(limit: 1, order)
        for name in ["a", "b", "c"] { download(downloader, request("/held/\(name)")) }
        server.release("held")
        #expect(await ends.reaches(3))
        let paths = server.requests.map { String($0.path.suffix(1)) }
        #expect(paths == (order == .fifo ? ["a", "b", "c"] : ["a", "c", "b"]))
    }

    @Test func `a downloader that is released during downloads drops its handlers`()
        async throws
    {
        weak var gone: ImageDownloader?
        do {
            let downloader = try downloader()
            gone = downloader
            download(downloader, request("/held/1"))
            #expect(await server.reaches("held"))
        }
        #expect(gone == nil)
        #expect(await server.sees { counts, _ in counts.abandoned == 1 })
        await MainQueue.settle()
        #expect(ends.all.isEmpty)
    }
}
