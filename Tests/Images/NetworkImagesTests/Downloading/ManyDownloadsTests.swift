import OperationNetworking
import ProcessUse
import TestSupport

@testable import NetworkImages

@Suite("Many downloads, one after the other", .timeLimit(.minutes(20)))
struct ManyDownloadsTests {
    /// `IMAGE_DOWNLOADS=10000` is the long form.
    private static let count =
        ProcessInfo.processInfo.environment["IMAGE_DOWNLOADS"].flatMap { Int($0) } ?? 200
    private static let side = 256
    private static let cost = side * side * 4
    private static let capacity = 16 * cost

    @Test func `decoded bytes stay within the capacity and one image, and memory is flat`()
        async throws
    {
        let cache = try AutoPurgingImageCache(
            memoryCapacity: UInt64(Self.capacity),
            preferredMemoryUsageAfterPurge: UInt64(Self.capacity / 2))
        let world = TestWorld.pictures()
        let file = try PNGEncoder().data(for: Pixels.plain(Self.side, Self.side))
        world.server.add("/many/", isPrefix: true) { _ in .data(file, contentType: "image/png") }
        let downloader = try ImageDownloader(
            manager: world.manager, maximumActiveDownloads: 1, imageCache: cache)
        var (early, peak, decoded, requests) = (0, 0, 0, 0)
        let steps = max(Self.count / 20, 1)
        for number in 0..<Self.count {
            let request = world.request("/many/\(number)")
            let width = await withCheckedContinuation { continuation in
                downloader.download(request) { _, _, image in
                    continuation.resume(returning: image.pixelWidth)
                } failure: { _, _, _ in
                    continuation.resume(returning: 0)
                }
            }
            if width == Self.side { decoded += 1 }
            #expect(cache.memoryUsage <= UInt64(Self.capacity))
            guard number % steps == 0 else { continue }
            // The server's log is not what is measured.
            requests += world.server.statistics.requests
            world.server.resetLog()
            guard MemoryInUse.isKnown, let now = MemoryInUse.now else {
                continue
            }
            // By then the cache is full, and what is made once is made.
            if number >= 64, early == 0 { early = now - Int(cache.memoryUsage) }
            if early > 0 { peak = max(peak, now - early) }
        }
        requests += world.server.statistics.requests
        #expect(decoded == Self.count && requests == Self.count)
        #expect(
            peak <= Self.capacity + Self.cost + 1 << 20,
            "\(peak) bytes, the cache may have \(Self.capacity)")
        print("images: \(Self.count) downloads, at most \(peak) bytes above \(early)")
    }
}
