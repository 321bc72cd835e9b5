import CMeasure
import CurlConnection
import Foundation
import FoundationNetworking
import NetworkImages
import OperationNetworking

/// `ImageDownloader` on a `HTTPRequestOperationManager`: each of many is a picture of its own address,
/// and one after the other the same picture, which is in the cache after the first.
final class ImageDownloaderRival: Rival, @unchecked Sendable {
    // @unchecked because everything but the number is set once, and that is guarded by `lock`.
    private let downloader: ImageDownloader?
    private let address: String
    private let hasManyAddresses: Bool
    private let lock = NSLock()
    private var number = 0

    init(_ assignment: Assignment) {
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.configuration = .measured(assignment)
        manager.responseSerializer = ImageResponseSerializer()
        downloader = try? ImageDownloader(
            manager: manager, maximumActiveDownloads: assignment.atOnce)
        address = assignment.url.absoluteString
        hasManyAddresses = assignment.kind == .enqueue
    }

    func get(_ ended: @escaping @Sendable (Reply) -> Void) {
        let number = lock.withLock {
            self.number += 1
            return self.number
        }
        guard let url = URL(string: hasManyAddresses ? "\(address)?\(number)" : address) else {
            return ended(Reply(isGood: false))
        }
        downloader?.download(URLRequest(url: url)) { _, response, _ in
            ended(Reply(isGood: true, byteCount: Int(response?.expectedContentLength ?? 0)))
        } failure: { _, _, error in
            ended(Reply(error))
        }
    }

    func cancelAll() {}

    func down(to path: String?, _ ended: @escaping @Sendable (Reply) -> Void) {
        ended(Reply(isGood: false))
    }

    func up(from path: String, _ ended: @escaping @Sendable (Reply) -> Void) {
        ended(Reply(isGood: false))
    }
}

/// What the downloader's images cost without any transfer: the same file decoded again and again.
final class ImageDecodingRival: Rival {
    private let file: Data
    private let queue = DispatchQueue(label: "decoding")

    init(_ assignment: Assignment) {
        let request = URLRequest(url: assignment.url)
        file = (try? URLConnection.sendSynchronousRequest(request))?.0 ?? Data()
    }

    func get(_ ended: @escaping @Sendable (Reply) -> Void) {
        queue.async { [file] in
            do {
                _ = try ImageDecoder().image(from: file)
                ended(Reply(isGood: true, byteCount: file.count))
            } catch {
                ended(Reply(error))
            }
        }
    }

    func cancelAll() {}

    func down(to path: String?, _ ended: @escaping @Sendable (Reply) -> Void) {
        ended(Reply(isGood: false))
    }

    func up(from path: String, _ ended: @escaping @Sendable (Reply) -> Void) {
        ended(Reply(isGood: false))
    }
}

/// `AutoPurgingImageCache` with a hundred images, asked by requests in turn.
final class ImageCacheRival: Rival {
    private let cache = AutoPurgingImageCache()
    private let requests: [URLRequest]

    init(_ assignment: Assignment) {
        let size = PixelSize(width: 16, height: 16)
        requests = (0..<100).compactMap { number in
            URL(string: "\(assignment.url.absoluteString)?\(number)").map { URLRequest(url: $0) }
        }
        for request in requests {
            let pixels = Data(count: size.width * size.height * 4)
            if let image = DecodedImage(pixels: pixels, size: size) {
                cache.add(image, for: request, withAdditionalIdentifier: nil)
            }
        }
    }

    func get(_ ended: @escaping @Sendable (Reply) -> Void) {
        let image = cache.image(for: requests[0], withAdditionalIdentifier: nil)
        ended(Reply(isGood: image != nil))
    }

    /// In one loop, without blocks between.
    func runMany(_ assignment: Assignment, into outcome: inout Outcome) {
        let watch = Stopwatch()
        let until = measure_now() + UInt64(assignment.seconds * 1e9)
        while measure_now() < until {
            for request in requests {
                let image = cache.image(for: request, withAdditionalIdentifier: nil)
                if image == nil { outcome.failures += 1 }
            }
            outcome.requests += requests.count
        }
        watch.stop(into: &outcome)
    }

    func cancelAll() {}

    func down(to path: String?, _ ended: @escaping @Sendable (Reply) -> Void) {
        ended(Reply(isGood: false))
    }

    func up(from path: String, _ ended: @escaping @Sendable (Reply) -> Void) {
        ended(Reply(isGood: false))
    }
}
