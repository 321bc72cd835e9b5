public import Foundation
public import FoundationNetworking
import Locking
public import OperationNetworking

/// Downloads images and stores them in a cache. Equal requests at the same time share one transfer.
///
/// `SharedTransfers` describes which requests are equal; with `joining` all requests for the same URL can be merged, as in
/// AFNetworking. If a transfer for an equal request is under way, a request joins it, and the cache is not read.
///
/// Otherwise the request's `cachePolicy` decides. With `useProtocolCachePolicy`, `returnCacheDataElseLoad` and
/// `returnCacheDataDontLoad` the cache is read: if it has the image, `success` is called on the main queue without a
/// response, and there is no receipt. With other policies it is not read. An image is stored before handlers are called, and under the
/// requested URL even after a redirect.
///
/// If a downloader is released during downloads, their handlers are not called.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the cache; `SharedTransfers` has its own. Calls out on:
/// the main queue (success, failure), asynchronously; the processing pool (filters, methods of the cache); the
/// caller's thread and the one on which a transfer ends (methods of the cache).
public final class ImageDownloader: Sendable {
    /// Called on the main queue with the caller's request, the response and the image. The response is nil if the image was
    /// in the cache.
    public typealias Success =
        @Sendable (URLRequest, HTTPURLResponse?, DecodedImage) -> Void
    /// Called on the main queue with the caller's request, the response if there is one, and the error.
    public typealias Failure =
        @Sendable (URLRequest, HTTPURLResponse?, any Error) -> Void

    /// The shared downloader: at most 4 downloads at once, in the order of the requests, with an HTTP cache of its own.
    public static let `default` = ImageDownloader()

    private let transfers: SharedTransfers<ReceivedImage>
    private let cache: Locked<(any ImageRequestCache)?>
    /// The manager that starts the transfers.
    public let manager: any TransferStarting
    /// Which requests share a transfer.
    public let joining: TransferJoining
    /// The order in which waiting transfers start.
    public let downloadPrioritization: TransferOrder
    /// The most transfers that run at once.
    public let maximumActiveDownloads: Int

    /// The default of `maximumActiveDownloads`: 4.
    public static let defaultMaximumActiveDownloads = 4

    /// Makes a downloader with a new manager, the one that `defaultManager()` returns.
    public convenience init() {
        self.init(
            checked: Self.defaultManager(), .fifo, Self.defaultMaximumActiveDownloads,
            AutoPurgingImageCache(), .equalRequests)
    }

    /// Makes a downloader with the given manager.
    ///
    /// - Parameters:
    ///   - manager: its response serializer must be an `ImageResponseSerializer`.
    ///   - downloadPrioritization: the order in which waiting transfers start.
    ///   - maximumActiveDownloads: the most transfers that run at once; at least 1.
    ///   - imageCache: the cache of decoded images; nil for none.
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

    /// Makes a downloader; if `activeDownloads` is below 1, it is taken as 1.
    package convenience init(
        manager: any TransferStarting, order: TransferOrder = .fifo, activeDownloads: Int,
        imageCache: (any ImageRequestCache)? = AutoPurgingImageCache()
    ) {
        self.init(checked: manager, order, max(1, activeDownloads), imageCache, .equalRequests)
    }

    /// - Parameter limit: at least 1, which the caller has checked.
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

    /// Returns the image that the serializer has made.
    ///
    /// - Throws: an error if the manager's serializer makes other objects, or none.
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
            // The old cache is released without the lock, because its `deinit` may read this property.
            self.cache.withLock { swap(&$0, &cache) }
        }
    }

    /// The number of downloads that run, and of those that wait.
    public var counts: (active: Int, waiting: Int) { transfers.counts }

    /// Downloads an image, or returns it from the cache.
    ///
    /// - Parameters:
    ///   - receiptID: identifies this caller's share in the transfer.
    ///   - filter: changes the image on another thread. It runs once for all callers whose filters have the same
    ///     identifier. Its result is stored in the cache under that identifier, in addition to the image itself.
    ///   - success: called on the main queue after this method has returned.
    ///   - failure: called on the main queue after this method has returned, with `URLError.badURL` if the request has no
    ///     URL.
    ///   - progress: called on `progressQueue` with the number of bytes received and expected; -1 if that is not known.
    /// - Returns: a receipt with which this caller can cancel; nil if there is no URL or the image was in the cache.
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

    /// Joins a transfer for the request, starts one, or takes the image from the cache.
    ///
    /// - Parameters:
    ///   - progress: called on the thread that receives the bytes.
    ///   - completion: called once, on any thread. If the image was in the cache and no filter has to run, it is called before
    ///     this method returns.
    func join(
        _ request: URLRequest, _ receiptID: UUID, _ filter: ImageFilter?,
        progress: TransferHandle.ProgressBlock? = nil,
        completion: @escaping @Sendable (HTTPURLResponse?, Result<DecodedImage, any Error>) -> Void
    ) -> ImageDownloadReceipt? {
        let deliver = {
            @Sendable [cache] (response: URLResponse?, result: ReceivedImage.Filtered) in
            let filtered = filter.map { filter in
                ReceivedImage.Filtering(filter: filter) { image in
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

    /// Returns the image in the cache, or the filter's result if there is a filter; nil if the cache policy does not allow it.
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

    /// Cancels one caller's share in a transfer. Its `failure` is called on the main queue with `URLError.cancelled`, and the
    /// other callers are not affected. If there are no others, the transfer is cancelled too.
    public func cancel(_ receipt: ImageDownloadReceipt) {
        transfers.cancel(TransferReceipt(id: receipt.receiptID, transfer: receipt.task))
    }
}

/// Identifies one caller's part in a download.
///
/// Callers whose requests were merged share the task; each has its own receipt.
public struct ImageDownloadReceipt: Sendable {
    /// Identifies the caller's part.
    public let receiptID: UUID
    /// The transfer.
    public let task: any TransferHandle

    /// A receipt with known members.
    public init(receiptID: UUID, task: any TransferHandle) {
        self.receiptID = receiptID
        self.task = task
    }
}

extension ImageDownloader {
    /// Downloads an image, or takes it from the cache, and waits for it.
    ///
    /// If the task is cancelled, only its own part ends; the others that requested the same image get it. The main queue is
    /// not used.
    ///
    /// - Parameter filter: changes the image, as in `download`.
    /// - Throws: `URLError.badURL` for a request without a URL; `URLError.cancelled` where the task is cancelled;
    ///   otherwise the error that `failure` of `download` gets.
    nonisolated(nonsending) public func image(
        for request: URLRequest, filter: ImageFilter? = nil
    ) async throws -> DecodedImage {
        guard let url = request.url else { throw URLError(.badURL) }
        let image = Awaited<DecodedImage>()
        let receiptID = UUID()
        let receipt = Locked<(receipt: ImageDownloadReceipt?, isCancelled: Bool)>((nil, false))
        return try await image.value(for: url) {
            let joined = join(request, receiptID, filter) { image.give($1) }
            let isCancelled = receipt.withLock { state in
                state.receipt = joined
                return state.isCancelled
            }
            if isCancelled, let joined { cancel(joined) }
        } cancelling: { [self] in
            let joined = receipt.withLock { state in
                state.isCancelled = true
                return state.receipt
            }
            if let joined { cancel(joined) }
        }
    }
}
