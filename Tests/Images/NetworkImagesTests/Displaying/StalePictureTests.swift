import OperationNetworking
import TestSupport

@testable import NetworkImages

/// IM-31: three URLs on one view in any order, with ends that come in any order, also of what was
/// cancelled.
@Suite("A view that is used again never shows a stale picture", .timeLimit(.minutes(10)))
@MainActor
struct StalePictureTests {
    /// `IMAGE_ORDERS=1000` is the long form of the second test.
    private static let orders =
        ProcessInfo.processInfo.environment["IMAGE_ORDERS"].flatMap { Int($0) } ?? 20

    /// A view that notes a picture that is not the latest one asked for.
    private final class Cell: ImageDisplaying {
        let imageLoad = ImageLoad()
        var wanted: Int?
        var stale: [Int] = []
        var image: DecodedImage? {
            didSet {
                if let image, image.pixelWidth != wanted { stale.append(image.pixelWidth) }
            }
        }
    }

    @Test func `1,000 random orders of three URLs, ended by hand`() async throws {
        var numbers = SeededNumbers(seed: 24)
        let pictures = try (0..<3).map { try Pixels.plain($0 + 1, 1) }
        let urls = (0..<3).compactMap { URL(string: "http://pictures/\($0)") }
        for order in 0..<1_000 {
            let transfers = HandTransfers()
            let downloader = try ImageDownloader(
                manager: transfers, downloadPrioritization: .random(using: &numbers),
                maximumActiveDownloads: .random(in: 1...3, using: &numbers),
                imageCache: Bool.random(using: &numbers) ? AutoPurgingImageCache() : nil)
            let cell = Cell()
            cell.imageLoad.downloader = downloader
            var open: [HandTransfers.Transfer] { transfers.made.all.filter(\.isOpen) }
            func end(_ transfer: HandTransfers.Transfer, fails: Bool) {
                let number = transfer.url.flatMap { Int($0.lastPathComponent) } ?? 0
                transfer.end(fails ? nil : pictures[number])
            }
            for _ in 0..<8 {
                switch Int.random(in: 0..<8, using: &numbers) {
                case 0..<4:
                    let number = Int.random(in: 0..<3, using: &numbers)
                    cell.wanted = number + 1
                    cell.setImage(with: urls[number])
                case 4, 5:
                    if let transfer = open.randomElement(using: &numbers) {
                        end(transfer, fails: Bool.random(using: &numbers))
                    }
                case 6: await MainQueue.settle()
                default: cell.cancelImageDownload()
                }
            }
            // A failure is reported on the main queue: the last request joins nothing that has ended.
            await MainQueue.settle()
            cell.wanted = 3
            cell.setImage(with: urls[2])
            while let transfer = open.randomElement(using: &numbers) {
                end(transfer, fails: false)
            }
            await MainQueue.settle()
            #expect(cell.stale.isEmpty && cell.image?.pixelWidth == 3, "order \(order)")
            #expect(downloader.counts == (0, 0), "order \(order)")
        }
    }

    @Test func `random orders of three URLs on one server, whose answers come in any order`()
        async throws
    {
        let world = TestWorld.pictures()
        let downloader = try ImageDownloader(manager: world.manager, imageCache: nil)
        var numbers = SeededNumbers(seed: 7)
        for order in 0..<Self.orders {
            let cell = Cell()
            cell.imageLoad.downloader = downloader
            let base = order * 3
            for number in (1...3).shuffled(using: &numbers) {
                cell.wanted = base + number
                cell.setImage(with: world.url("/held/\(base + number)"))
                if Bool.random(using: &numbers) {
                    world.server.release("/held/\(base + Int.random(in: 1...3, using: &numbers))")
                }
            }
            for number in (1...3).shuffled(using: &numbers) {
                world.server.release("/held/\(base + number)")
            }
            #expect(await comesTrue { cell.image?.pixelWidth == cell.wanted }, "order \(order)")
            #expect(cell.stale.isEmpty, "order \(order): \(cell.stale)")
        }
    }
}

extension TransferOrder {
    fileprivate static func random(using numbers: inout SeededNumbers) -> TransferOrder {
        Bool.random(using: &numbers) ? .fifo : .lifo
    }
}
