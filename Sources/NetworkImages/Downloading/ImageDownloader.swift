public import Foundation
public import FoundationNetworking
import Locking
public import OperationNetworking

/// Downloads images: equal requests share one transfer, and what came is kept in a cache.
///
/// Requests that are under way at the same time are merged as `SharedTransfers` says; the original
/// merged all of one URL, and `joining` says so. A request joins before the cache is asked. For the
/// policies "protocol", "return, else load" and "return, do not load" an image in the cache is a
/// success at once, on main, without a response and without a receipt; for others the cache is passed
/// over (IM-05). An image is in the cache before any handler is called (IM-13). After a redirect it is kept under
/// the URL that was asked for.
///
/// A downloader that is let go with downloads under way drops their handlers.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the cache; `SharedTransfers` has its own. Calls out on:
/// main (success, failure), later; the thread of a transfer's end (the cache's questions).
public final class ImageDownloader: Sendable {
    /// Called on main with the caller's request, the response, which is nil for an image of the
    /// cache, and the image.
    public typealias Success =
        @Sendable (URLRequest, HTTPURLResponse?, DecodedImage) -> Void
    /// Called on main with the caller's request, the response where there is one, and the error.
    public typealias Failure =
        @Sendable (URLRequest, HTTPURLResponse?, any Error) -> Void

    /// The downloader that an application shares: 4 active downloads, first come, first served, and
    /// an HTTP cache of its own.
    public static let `default` = ImageDownloader()

    private let transfers: SharedTransfers<DecodedImage>
    private let cache: Locked<(any ImageRequestCache)?>
    /// Which transfers run first.
    public let downloadPrioritization: TransferOrder
    /// How many transfers run at once.
    public let maximumActiveDownloads: Int

    /// 4.
    public static let defaultMaximumActiveDownloads = 4

    /// A downloader on a manager of its own, with the settings of `defaultManager()`.
    public convenience init() {
        self.init(
            checked: Self.defaultManager(), .fifo, Self.defaultMaximumActiveDownloads,
            AutoPurgingImageCache(), .equalRequests)
    }

    /// A downloader on a manager of any era.
    ///
    /// - Parameters:
    ///   - manager: its response serializer is to be an `ImageResponseSerializer`.
    ///   - downloadPrioritization: which of the transfers that wait is next.
    ///   - maximumActiveDownloads: how many transfers run at once; 1 at least.
    ///   - imageCache: nil for none.
    ///   - joining: which requests share a transfer.
    /// - Throws: `SharedTransferError` for a limit below 1.
    public convenience init(
        manager: any TransferStarting, downloadPrioritization: TransferOrder = .fifo,
        maximumActiveDownloads: Int = defaultMaximumActiveDownloads,
        imageCache: (any ImageRequestCache)? = AutoPurgingImageCache(),
        joining: TransferJoining = .equalRequests
    ) throws(SharedTransferError) {
        guard maximumActiveDownloads > 0 else {
            throw SharedTransferError.noActiveTransfers(maximumActiveDownloads)
        }
        self.init(
            checked: manager, downloadPrioritization, maximumActiveDownloads, imageCache, joining)
    }

    /// The caller has checked the limit.
    private init(
        checked manager: any TransferStarting, _ order: TransferOrder, _ limit: Int,
        _ imageCache: (any ImageRequestCache)?, _ joining: TransferJoining
    ) {
        let cache = Locked(imageCache)
        self.cache = cache
        downloadPrioritization = order
        maximumActiveDownloads = limit
        transfers = SharedTransfers(
            on: manager, limit: limit, order: order, joining: joining,
            prepare: { request, image in
                guard let kept = cache.withLock({ $0 }),
                    kept.shouldCacheImage(image, for: request, withAdditionalIdentifier: nil)
                else { return }
                kept.add(image, for: request, withAdditionalIdentifier: nil)
            }, conversion: Self.image)
    }

    /// A serializer of another kind gives another object, or none; that is no image.
    private static func image(_ object: sending Any?, _ response: URLResponse?) throws
        -> DecodedImage
    {
        guard let image = object as? DecodedImage else {
            throw ResponseSerializationError(.undecodableImage, response: response, data: nil)
        }
        return image
    }

    /// Where images are kept; nil for nowhere.
    public var imageCache: (any ImageRequestCache)? {
        get { cache.withLock { $0 } }
        set { cache.withLock { $0 = newValue } }
    }

    /// How many downloads run and how many wait.
    public var counts: (active: Int, waiting: Int) { transfers.counts }

    /// Downloads an image, or takes it from the cache.
    ///
    /// - Parameters:
    ///   - receiptID: names the caller's part.
    ///   - success: called on main, after this has returned.
    ///   - failure: called on main, after this has returned; with `URLError.badURL` for a request
    ///     without a URL.
    /// - Returns: nil where nothing is transferred for the caller: there is no URL (IM-02), or the
    ///   image was in the cache.
    @discardableResult
    public func download(
        _ request: URLRequest, receiptID: UUID = UUID(), success: Success? = nil,
        failure: Failure? = nil
    ) -> ImageDownloadReceipt? {
        guard request.url != nil else {
            DispatchQueue.main.async { failure?(request, nil, URLError(.badURL)) }
            return nil
        }
        let part = transfers.join(request, id: receiptID) {
            request.usesStoredAnswers
                ? imageCache?.image(for: request, withAdditionalIdentifier: nil) : nil
        } handler: { end in
            DispatchQueue.main.async {
                let response = end.response as? HTTPURLResponse
                switch end.result {
                case .success(let image): success?(end.request, response, image)
                case .failure(let error): failure?(end.request, response, error)
                }
            }
        }
        switch part {
        case .receipt(let receipt):
            return ImageDownloadReceipt(receiptID: receipt.id, task: receipt.transfer)
        case .kept(let image):
            DispatchQueue.main.async { success?(request, nil, image) }
            return nil
        }
    }

    /// Cancels a caller's part: its `failure` is called on main with `URLError.cancelled`; the others
    /// go on. With the last part the transfer is cancelled and forgotten.
    public func cancel(_ receipt: ImageDownloadReceipt) {
        transfers.cancel(TransferReceipt(id: receipt.receiptID, transfer: receipt.task))
    }
}
