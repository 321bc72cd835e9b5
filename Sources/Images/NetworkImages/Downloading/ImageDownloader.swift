public import Foundation
public import FoundationNetworking
import Locking
public import OperationNetworking

/// Downloads images: equal requests share one transfer, and images are kept in a cache.
///
/// Requests that are under way at the same time are merged as `SharedTransfers` says; the original
/// merged all of one URL, and `joining` says so. A request joins before the cache is asked. For the
/// policies "protocol", "return, else load" and "return, do not load" an image in the cache is a
/// success at once, on main, without a response and without a receipt; for others the cache is passed
/// over (IM-05). An image is in the cache before any handler is called (IM-13). After a redirect it is kept under
/// the URL that was asked for.
///
/// A downloader that is released with downloads under way drops their handlers.
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

    private let transfers: SharedTransfers<ReceivedImage>
    private let cache: Locked<(any ImageRequestCache)?>
    /// What carries the downloads.
    public let manager: any TransferStarting
    /// Which requests share a transfer.
    public let joining: TransferJoining
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

    /// A limit below 1 counts as 1.
    package convenience init(
        manager: any TransferStarting, order: TransferOrder = .fifo, activeDownloads: Int,
        imageCache: (any ImageRequestCache)? = AutoPurgingImageCache()
    ) {
        self.init(checked: manager, order, max(1, activeDownloads), imageCache, .equalRequests)
    }

    /// The caller has checked the limit.
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

    /// A serializer of another kind gives another object, or none; that is no image.
    private static func image(_ object: sending Any?, _ response: URLResponse?) throws
        -> ReceivedImage
    {
        guard let image = object as? DecodedImage else {
            throw ResponseSerializationError(.undecodableImage, response: response, data: nil)
        }
        return ReceivedImage(image)
    }

    /// Where images are kept; nil for nowhere.
    public var imageCache: (any ImageRequestCache)? {
        get { cache.withLock { $0 } }
        set {
            var cache = newValue
            // The old one goes after the lock, since it may ask for the cache in its `deinit`.
            self.cache.withLock { swap(&$0, &cache) }
        }
    }

    /// How many downloads run and how many wait.
    public var counts: (active: Int, waiting: Int) { transfers.counts }

    /// Downloads an image, or takes it from the cache.
    ///
    /// - Parameters:
    ///   - receiptID: names the caller's part.
    ///   - filter: changes the image, off main, once for all callers whose filters are called alike;
    ///     what it made is kept under its name, beside the image itself.
    ///   - success: called on main, after this has returned.
    ///   - failure: called on main, after this has returned; with `URLError.badURL` for a request
    ///     without a URL.
    ///   - progress: called on `progressQueue` with the bytes received and expected (-1: unknown).
    /// - Returns: nil where nothing is transferred for the caller: there is no URL (IM-02), or the
    ///   image was in the cache.
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
        let tell = { @Sendable [cache] (response: URLResponse?, result: ReceivedImage.Filtered) in
            let filtered = filter.map { filter in
                ReceivedImage.Filtering(filter) { image in
                    cache.withLock { $0 }?.keep(image, for: request, filter.identifier)
                }
            }
            result.filtered(by: filtered) { completion(response as? HTTPURLResponse, $0) }
        }
        let part = transfers.join(
            request, id: receiptID, kept: { received(for: request, filter) }, progress: progress
        ) { tell($0.response, $0.result) }
        switch part {
        case .receipt(let receipt):
            return ImageDownloadReceipt(receiptID: receipt.id, task: receipt.transfer)
        case .kept(let image):
            tell(nil, .success(image))
            return nil
        }
    }

    /// The image of the cache, if the request may be answered with it; with a filter what the filter
    /// made of it.
    func keptImage(for request: URLRequest, _ filter: ImageFilter?) -> DecodedImage? {
        guard request.usesStoredAnswers else { return nil }
        return imageCache?.image(for: request, withAdditionalIdentifier: filter?.identifier)
    }

    private func received(for request: URLRequest, _ filter: ImageFilter?) -> ReceivedImage? {
        if let filter, let image = keptImage(for: request, filter) {
            return ReceivedImage(image, isFilteredBy: filter)
        }
        return keptImage(for: request, nil).map { ReceivedImage($0) }
    }

    /// Cancels a caller's part: its `failure` is called on main with `URLError.cancelled`; the others
    /// go on. With the last part the transfer is cancelled and forgotten.
    public func cancel(_ receipt: ImageDownloadReceipt) {
        transfers.cancel(TransferReceipt(id: receipt.receiptID, transfer: receipt.task))
    }
}
