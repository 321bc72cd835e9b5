import CurlConnection
import Foundation
import FoundationNetworking
import Lessons
import Locking
import LoopbackServer
import NetworkImages
import OperationNetworking

/// Lesson 16: many views, few pictures.
enum ImageExperiment {
    private static let (views, pictures) = (100, 10)

    private struct Sight {
        var shown = 0
        var requests = 0
        var fifth = 0
        var leftAfterCancel = 0
    }

    static func run() throws -> ExperimentResult {
        let sights = [
            try look("fifo", .fifo), try look("lifo", .lifo),
            try look("alone", .fifo, merges: false),
        ]
        let cells = try [true, false].map { try useAgain($0 ? "fifo" : "noReceipt", asks: $0) }
        let (before, after) = try purge()
        return ExperimentResult(
            variants: ["fifo", "lifo", "alone", "noReceipt"],
            facts: [
                .init(
                    Words(
                        "of \(views) views of \(pictures) pictures, so many got theirs",
                        "\(views) 个视图显示 \(pictures) 张图：拿到图的视图数"),
                    sights.map { "\($0.shown)" } + ["-"]),
                .init(
                    Words("requests that the server got", "服务器收到的请求数"),
                    sights.map { "\($0.requests)" } + ["-"]),
                .init(
                    Words(
                        "the picture that was asked for when the first of four was there",
                        "最先四张中的第一张到达后，接着请求的是第几张"),
                    sights.map { "\($0.fifth)" } + ["-"]),
                .init(
                    Words(
                        "of 10 views of one picture, so many got it though one cancelled",
                        "同一张图的 10 个视图，一个取消后仍拿到图的个数"),
                    sights.map { "\($0.leftAfterCancel)" } + ["-"]),
                .init(
                    Words(
                        "a cell that was used again for picture 2 shows",
                        "被复用来显示第 2 张图的单元格最后显示第几张"),
                    ["\(cells[0])", "-", "-", "\(cells[1])"]),
                .init(
                    Words(
                        "pictures in a cache for 100, before and after the 101st",
                        "容量 100 张的缓存：第 101 张之前与之后的张数"),
                    ["\(before), \(after)", "-", "-", "-"]),
            ],
            answer: sights[0].requests == pictures ? 1 : sights[0].requests == views ? 2 : 3)
    }

    /// Loads pictures from a server that holds each until all views have asked for theirs.
    private static func look(
        _ variant: String, _ order: TransferOrder, merges: Bool = true
    ) throws -> Sight {
        let file = try PNGEncoder().data(for: try image())
        var sight = Sight()
        try withPictures(variant, file) { server, downloader, address in
            let downloader = try downloader(order)
            let shown = Locked(0)
            for view in 0..<views {
                let number = view / (views / pictures) + 1
                let own = merges ? "" : "?view=\(view)"
                download(downloader, address("/\(number)\(own)")) { shown.withLock { $0 += 1 } }
            }
            server.reaches("held", count: 4)
            // One of the four ends, and the next download in order starts.
            server.release("held", count: 1)
            guard server.receives(5) else { throw URLError(.timedOut) }
            sight.fifth = Int(server.requests[4].path.dropFirst()) ?? 0
            server.release("held")
            _ = Patience.until { shown.withLock { $0 } == views }
            sight.shown = shown.withLock { $0 }
            sight.requests = server.requests.count
        }
        try withPictures(variant, file) { server, downloader, address in
            let downloader = try downloader(order)
            let shown = Locked(0)
            let receipts = (0..<10).map { view in
                download(downloader, address(merges ? "/1" : "/1?view=\(view)")) {
                    shown.withLock { $0 += 1 }
                }
            }
            server.reaches("held")
            if let first = receipts[0] { downloader.cancel(first) }
            server.release("held")
            _ = Patience.until { shown.withLock { $0 } == 9 }
            sight.leftAfterCancel = shown.withLock { $0 }
        }
        return sight
    }

    /// Which picture a reused cell shows in the end: its old picture arrives after the new one.
    ///
    /// - Parameter asks: whether the cell compares the receipt of a picture with its current one.
    private static func useAgain(_ variant: String, asks: Bool) throws -> Int {
        let file = try PNGEncoder().data(for: try image())
        var shown = 0
        try withPictures(variant, file) { server, downloader, address in
            server.add("/second") { _ in .data(file, contentType: "image/png") }
            let (downloader, cell) = (try downloader(.fifo), Cell(asks: asks))
            cell.show(1) { _ = downloader.download(address("/1"), success: $0) }
            cell.show(2) { _ = downloader.download(address("/second"), success: $0) }
            _ = Patience.until { cell.answers == 1 }
            server.release("held")
            _ = Patience.until { cell.answers == 2 }
            shown = cell.shown
        }
        return shown
    }

    private static func withPictures(
        _ variant: String, _ file: Data,
        _ body: (
            LoopbackServer, (TransferOrder) throws -> ImageDownloader, (String) -> URLRequest
        ) throws -> Void
    ) throws {
        try withServer(of: variant) { server in
            server.add("/", isPrefix: true) { _ in
                ScriptedResponse.data(file, contentType: "image/png").after(.wait(gate: "held"))
            }
            let manager = ImageDownloader.defaultManager()
            manager.configuration.responseCache = nil
            try body(
                server,
                { try ImageDownloader(manager: manager, downloadPrioritization: $0) },
                { path in
                    URLRequest(
                        url: URL(string: server.baseURL.absoluteString + path.dropFirst())
                            ?? server.baseURL)
                })
        }
    }

    @discardableResult
    private static func download(
        _ downloader: ImageDownloader, _ request: URLRequest,
        _ success: @escaping @Sendable () -> Void
    ) -> ImageDownloadReceipt? {
        downloader.download(request, success: { _, _, _ in success() })
    }

    // MARK: The cache

    /// How many pictures a full cache has, and how many after one more was added.
    private static func purge() throws -> (before: Int, after: Int) {
        let picture = try image()
        let cache = try AutoPurgingImageCache(
            memoryCapacity: 100 * picture.cost, preferredMemoryUsageAfterPurge: 60 * picture.cost)
        for number in 1...100 { cache.add(picture, withIdentifier: "\(number)") }
        let before = cache.memoryUsage / picture.cost
        cache.add(picture, withIdentifier: "101")
        return (Int(before), Int(cache.memoryUsage / picture.cost))
    }

    private static func image() throws -> DecodedImage {
        let size = PixelSize(width: 8, height: 8)
        let pixels = Data(repeating: 255, count: 256)
        guard let image = DecodedImage(pixels: pixels, size: size) else {
            throw CocoaError(.coderInvalidValue)
        }
        return image
    }
}

/// A list's cell, which is reused for another row.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around what it shows.
private final class Cell: Sendable {
    private struct State {
        var current = 0
        var shown = 0
        var answers = 0
    }

    private let asks: Bool
    private let state = Locked(State())

    init(asks: Bool) {
        self.asks = asks
    }

    var shown: Int { state.withLock { $0.shown } }
    var answers: Int { state.withLock { $0.answers } }

    /// Asks for a picture; the one asked for before may still arrive.
    func show(_ picture: Int, _ download: (@escaping ImageDownloader.Success) -> Void) {
        let own = state.withLock { state in
            state.current += 1
            return state.current
        }
        download { [self] _, _, _ in
            state.withLock { state in
                state.answers += 1
                // The earlier row's picture, which arrives late: its receipt is not the current one.
                if asks, own != state.current { return }
                state.shown = picture
            }
        }
    }
}
