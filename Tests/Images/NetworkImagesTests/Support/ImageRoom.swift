import CurlConnection
import OperationNetworking
import TestSupport

@testable import NetworkImages

/// A server with pictures, and a downloader; both end with it.
///
/// Under `/image/N` there is a picture N pixels wide, under `/held/N` the same at a gate of its name.
final class ImageRoom: Sendable {
    let server = LoopbackServer(routes: Routes())
    let manager = ImageDownloader.defaultManager()
    let downloader: ImageDownloader

    init(cache: (any ImageRequestCache)? = AutoPurgingImageCache()) throws {
        manager.configuration.responseCache = nil
        downloader = try ImageDownloader(manager: manager, imageCache: cache)
        try server.start()
        let kept = Locked<[Int: Data]>([:])
        let picture = { @Sendable (path: String) -> Data in
            let width = path.split(separator: "/").last.flatMap { Int($0) } ?? 1
            if let known = kept.withLock({ $0[width] }) { return known }
            let file = (try? Self.png(width)) ?? Data()
            kept.withLock { $0[width] = file }
            return file
        }
        server.add("/image/", isPrefix: true) {
            .data(picture($0.path), contentType: "image/png")
        }
        server.add("/held/", isPrefix: true) {
            ScriptedResponse.data(picture($0.path), contentType: "image/png")
                .after(.wait(gate: $0.path))
        }
        server.add("/moved/", isPrefix: true) {
            .status(302, headers: [("Location", "/image" + $0.path.dropFirst("/moved".count))])
        }
        server.add("/text") { _ in .text("no image", contentType: "text/plain") }
    }

    deinit {
        server.stop()
    }

    static func png(_ width: Int) throws -> Data {
        try PNGEncoder().data(for: Pixels.plain(width, 2, [0, 128, 0, 255]))
    }

    func url(_ path: String) -> URL { server.url(path) }

    /// Its time-out is no cancel that a test could wait for by mistake.
    func request(
        _ path: String, _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) -> URLRequest {
        URLRequest(url: url(path), cachePolicy: policy, timeoutInterval: 600)
    }
}

/// Transfers that a test ends by hand, in any order, also after they were cancelled.
final class HandTransfers: TransferStarting {
    final class Transfer: TransferHandle {
        let url: URL?
        private let completion: TransferCompletion
        private let state = Locked((isStarted: false, hasEnded: false))

        init(_ url: URL?, _ completion: @escaping TransferCompletion) {
            self.url = url
            self.completion = completion
        }

        var isOpen: Bool { state.withLock { $0.isStarted && !$0.hasEnded } }

        func start() { state.withLock { $0.isStarted = true } }
        /// What was cancelled still ends, when the test says so.
        func cancel() {}
        func addProgressBlock(_ block: @escaping ProgressBlock) {}

        func end(_ image: DecodedImage?) {
            state.withLock { $0.hasEnded = true }
            completion(nil, image, image == nil ? URLError(.timedOut) : nil)
        }
    }

    let made = Log<Transfer>()

    func transfer(
        for request: URLRequest, completion: @escaping TransferCompletion
    ) -> any TransferHandle {
        let transfer = Transfer(request.url, completion)
        made.add(transfer)
        return transfer
    }
}
