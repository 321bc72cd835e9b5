import CurlConnection
import OperationNetworking
import TestSupport

@testable import NetworkImages

extension TestWorld {
    /// Serves pictures. Its time-out is no cancel that a test could wait for by mistake.
    static func pictures() -> TestWorld { TestWorld(routes: .pictures, timeout: 600) }

    var manager: HTTPRequestOperationManager {
        own {
            let manager = ImageDownloader.defaultManager()
            manager.configuration.responseCache = nil
            return manager
        }
    }

    var downloader: ImageDownloader {
        own {
            required {
                try ImageDownloader(manager: manager, imageCache: AutoPurgingImageCache())
            }
        }
    }

    func url(_ path: String) -> URL { server.url(path) }
}

extension Pixels {
    static func png(_ width: Int) throws -> Data {
        try PNGEncoder().data(for: plain(width, 2, [0, 128, 0, 255]))
    }
}

extension Routes {
    /// Under `/image/N` there is a picture N pixels wide, under `/held/N` the same at a gate of its name.
    static var pictures: Routes {
        let kept = Locked<[Int: Data]>([:])
        let picture = { @Sendable (path: String) -> Data in
            let width = path.split(separator: "/").last.flatMap { Int($0) } ?? 1
            if let known = kept.withLock({ $0[width] }) { return known }
            let file = (try? Pixels.png(width)) ?? Data()
            kept.withLock { $0[width] = file }
            return file
        }
        var routes = Routes()
        routes.add("/image/", isPrefix: true) {
            .data(picture($0.path), contentType: "image/png")
        }
        routes.add("/held/", isPrefix: true) {
            ScriptedResponse.data(picture($0.path), contentType: "image/png")
                .after(.wait(gate: $0.path))
        }
        routes.add("/text") { _ in .text("no image", contentType: "text/plain") }
        return routes
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
