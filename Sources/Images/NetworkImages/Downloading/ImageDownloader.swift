public import Foundation
public import FoundationNetworking
import Locking
public import OperationNetworking

/// Downloads images: equal requests share one transfer, and images are cached.
///
/// Requests that run at the same time are merged as `SharedTransfers` says; `joining` can choose
/// AFNetworking's rule, which merges all requests for one URL. A request is merged before the cache
/// is looked up.
///
/// With the policies "protocol", "return, else load" and "return, do not load" a cached image is a
/// success at once, on the main queue, without response and receipt. Other policies bypass the
/// cache. An image is cached before any handler is called. After a redirect it is cached under the
/// requested URL.
///
/// A downloader that is released during downloads drops their handlers.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the cache; `SharedTransfers` has its own. Calls out on:
/// the main queue (success, failure), asynchronously; the thread on which a transfer ends (methods
/// of the cache).
public final class ImageDownloader: Sendable {
    /// Called on the main queue with the caller's request, the response, which is nil for an image
    /// from the cache, and the image.
    public typealias Success =
        @Sendable (URLRequest, HTTPURLResponse?, DecodedImage) -> Void
    /// Called on the main queue with the caller's request, the response where there is one, and the
    /// error.
    public typealias Failure =
        @Sendable (URLRequest, HTTPURLResponse?, any Error) -> Void

    /// The downloader that an application shares: 4 active downloads, first in, first out, and an
    /// HTTP cache of its own.
    public static let `default` = ImageDownloader()

    private let transfers: SharedTransfers<ReceivedImage>
    private let cache: Locked<(any ImageRequestCache)?>
    /// Starts the transfers.
    public let manager: any TransferStarting
    /// Which requests share a transfer.
    public let joining: TransferJoining
    /// Which waiting transfer is next.
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

    /// Makes a downloader with a given manager.
    ///
    /// - Parameters:
    ///   - manager: its response serializer must be an `ImageResponseSerializer`.
    ///   - downloadPrioritization: which waiting transfer is next.
    ///   - maximumActiveDownloads: how many transfers run at once; at least 1.
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

    /// A limit below 1 counts as 1.
    package convenience init(
        manager: any TransferStarting, order: TransferOrder = .fifo, activeDownloads: Int,
        imageCache: (any ImageRequestCache)? = AutoPurgingImageCache()
    ) {
        self.init(checked: manager, order, max(1, activeDownloads), imageCache, .equalRequests)
    }

    /// Without a check of the limit.
    private init(
        checked manager: any TransferStarting, _ order: TransferOrder, _ limit: Int,
        _ imageCache: (any ImageRequestCache)?, _ joining: TransferJoining
    ) {
        let cache = Locked(imageCache)
        self.cache = cache
        self.manager = manager
        self.joining = joining
        downloadPrioritization = order
        maximumActiveDownloads = limit
        transfers = SharedTransfers(
            on: manager, limit: limit, order: order, joining: joining,
            prepare: { request, received in
                cache.withLock { $0 }?.keep(received.image, for: request, nil)
            }, conversion: Self.image)
    }

    /// Another kind of serializer returns another object, or none, which is no image.
    private static func image(_ object: sending Any?, _ response: URLResponse?) throws
        -> ReceivedImage
    {
        guard let image = object as? DecodedImage else {
            throw ResponseSerializationError(.undecodableImage, response: response, data: nil)
        }
        return ReceivedImage(image)
    }

    /// The cache of decoded images; nil for none.
    public var imageCache: (any ImageRequestCache)? {
        get { cache.withLock { $0 } }
        set {
            var cache = newValue
            // The old cache is released after unlocking, since its `deinit` may read this property.
            self.cache.withLock { swap(&$0, &cache) }
        }
    }

    /// How many downloads run and how many wait.
    public var counts: (active: Int, waiting: Int) { transfers.counts }

    /// Downloads an image, or returns it from the cache.
    ///
    /// - Parameters:
    ///   - receiptID: identifies the caller's part.
    ///   - filter: changes the image, off the main queue, once for all callers whose filters have
    ///     the same identifier; its result is cached under that identifier, besides the image
    ///     itself.
    ///   - success: called on the main queue, after this has returned.
    ///   - failure: called on the main queue, after this has returned; with `URLError.badURL` for a
    ///     request without a URL.
    ///   - progress: called on `progressQueue` with the bytes received and expected (-1: unknown).
    /// - Returns: nil where nothing is transferred for the caller: there is no URL, or the image
    ///   was cached.
    @discardableResult
    public func download(
        _ request: URLRequest, receiptID: UUID = UUID(), filter: ImageFilter? = nil,
        success: Success? = nil, failure: Failure? = nil,
        progress: TransferHandle.ProgressBlock? = nil, progressQueue: DispatchQueue = .main
    ) -> ImageDownloadReceipt? {
        guard request.url != nil else {
            DispatchQueue.main.async { failure?(request, nil, URLError(.badURL)) }
            return nil
        }
        let queued = progress.map { progress -> TransferHandle.ProgressBlock in
            { received, expected in progressQueue.async { progress(received, expected) } }
        }
        return join(request, receiptID, filter, progress: queued) { response, result in
            DispatchQueue.main.async {
                switch result {
                case .success(let image): success?(request, response, image)
                case .failure(let error): failure?(request, response, error)
                }
            }
        }
    }

    /// - Parameters:
    ///   - progress: called where the bytes come.
    ///   - completion: called once, on any thread; here where the image was in the cache and has no filter to pass.
    func join(
        _ request: URLRequest, _ receiptID: UUID, _ filter: ImageFilter?,
        progress: TransferHandle.ProgressBlock? = nil,
        completion: @escaping @Sendable (HTTPURLResponse?, Result<DecodedImage, any Error>) -> Void
    ) -> ImageDownloadReceipt? {
        let deliver = {
            @Sendable [cache] (response: URLResponse?, result: ReceivedImage.Filtered) in
            let filtered = filter.map { filter in
                ReceivedImage.Filtering(filter) { image in
                    cache.withLock { $0 }?.keep(image, for: request, filter.identifier)
                }
            }
            result.filtered(by: filtered) { completion(response as? HTTPURLResponse, $0) }
        }
        let part = transfers.join(
            request, id: receiptID, kept: { received(for: request, filter) }, progress: progress
        ) { deliver($0.response, $0.result) }
        switch part {
        case .receipt(let receipt):
            return ImageDownloadReceipt(receiptID: receipt.id, task: receipt.transfer)
        case .kept(let image):
            deliver(nil, .success(image))
            return nil
        }
    }

    /// The cached image, if the request allows it; with a filter the filter's cached result.
    func cachedImage(for request: URLRequest, _ filter: ImageFilter?) -> DecodedImage? {
        guard request.usesStoredAnswers else { return nil }
        return imageCache?.image(for: request, withAdditionalIdentifier: filter?.identifier)
    }

    private func received(for request: URLRequest, _ filter: ImageFilter?) -> ReceivedImage? {
        if let filter, let image = cachedImage(for: request, filter) {
            return ReceivedImage(image, isFilteredBy: filter)
        }
        return cachedImage(for: request, nil).map { ReceivedImage($0) }
    }

    /// Cancels a caller's part: its `failure` is called on the main queue with
    /// `URLError.cancelled`; the others continue. With the last part the transfer is cancelled.
    public func cancel(_ receipt: ImageDownloadReceipt) {
        transfers.cancel(TransferReceipt(id: receipt.receiptID, transfer: receipt.task))
    }
}
