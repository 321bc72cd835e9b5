import Foundation
public import FoundationNetworking
import OperationNetworking

/// The download of one picture for one view or cell.
///
/// Only the picture requested last is shown: another request cancels the previous one, whose result
/// is dropped. A view stores one `ImageLoad` and conforms to `ImageDisplaying`. When the view
/// releases it, the download continues for the cache, and no block is called.
///
/// ## Concurrency
/// Call from: the main actor; `init` from anywhere. Lock: none. Calls out on: the main actor.
@MainActor
public final class ImageLoad {
    /// Called with the request, the response, which is nil for an image from the cache, and the
    /// image.
    public typealias Success = @MainActor (URLRequest, HTTPURLResponse?, DecodedImage) -> Void
    /// Called with the request, the response where there is one, and the error.
    public typealias Failure = @MainActor (URLRequest, HTTPURLResponse?, any Error) -> Void
    /// Shows an image, or none.
    typealias Show = @MainActor (DecodedImage?) -> Void

    /// The downloader of all views that have no own one.
    public static var sharedDownloader = ImageDownloader.default

    /// The downloader of this view; nil for the shared one.
    public var downloader: ImageDownloader?

    /// Whether a request that is already running is ignored together with its blocks, as in
    /// AFNetworking; otherwise, and by default, its blocks are called with the others.
    public var ignoresRepeatedRequests = false

    /// The receipt of the running download.
    ///
    /// Nil if there is none, or if the downloader has found the image in its cache meanwhile.
    public var receipt: ImageDownloadReceipt? { active?.receipt }

    /// Whether an image was requested and has not been delivered.
    public var isLoading: Bool { active != nil }

    private var active: Download?
    /// The number of calls of `cancel`, which each request makes unless it joins the running download.
    private var turn = 0

    /// Makes an object that loads nothing yet.
    public nonisolated init() {}

    /// The blocks of one call.
    private struct Caller {
        let request: URLRequest
        let success: Success?
        let failure: Failure?
    }

    /// One download, compared by identity with a later one.
    @MainActor
    private final class Download {
        let key: SharingKey
        let filter: String?
        /// The downloader that loads it, also where the shared one was replaced meanwhile.
        let downloader: ImageDownloader
        var receipt: ImageDownloadReceipt?
        var callers: [Caller]

        init(_ caller: Caller, _ filter: ImageFilter?, _ downloader: ImageDownloader) {
            key = SharingKey(caller.request, downloader.joining, for: downloader.manager)
            self.filter = filter?.identifier
            self.downloader = downloader
            callers = [caller]
        }

        func isEqual(to other: Download) -> Bool {
            key == other.key && filter == other.filter && downloader === other.downloader
        }
    }

    /// Requests a picture, as `ImageDisplaying` says.
    func start(
        _ request: URLRequest, placeholder: DecodedImage?, filter: ImageFilter?,
        success: Success?, failure: Failure?, show: @escaping Show
    ) {
        guard request.url != nil else {
            cancel()
            let turn = turn
            show(placeholder)
            // Showing a picture may request another one.
            if self.turn == turn { failure?(request, nil, URLError(.badURL)) }
            return
        }
        let caller = Caller(request: request, success: success, failure: failure)
        let new = Download(caller, filter, downloader ?? Self.sharedDownloader)
        if let active, active.isEqual(to: new) {
            if !ignoresRepeatedRequests { active.callers.append(caller) }
            return
        }
        cancel()
        if let image = new.downloader.cachedImage(for: request, filter) {
            return callBlocks([caller], nil, .success(image), show)
        }
        active = new
        if let placeholder { show(placeholder) }
        // Showing a picture may request another one, or cancel.
        guard active === new else { return }
        new.receipt = new.downloader.download(request, filter: filter) { [weak self] in
            let (response, image) = ($1, $2)
            MainActor.assumeIsolated { self?.end(new, response, .success(image), show) }
        } failure: { [weak self] in
            let (response, error) = ($1, $2)
            MainActor.assumeIsolated { self?.end(new, response, .failure(error), show) }
        }
    }

    func cancel() {
        turn += 1
        guard let old = active else { return }
        active = nil
        if let receipt = old.receipt { old.downloader.cancel(receipt) }
    }

    private func end(
        _ download: Download, _ response: HTTPURLResponse?,
        _ result: Result<DecodedImage, any Error>, _ show: Show
    ) {
        guard active === download else { return }
        // First, because a block may request another picture.
        active = nil
        callBlocks(download.callers, response, result, show)
    }

    private func callBlocks(
        _ callers: [Caller], _ response: HTTPURLResponse?,
        _ result: Result<DecodedImage, any Error>, _ show: Show
    ) {
        let turn = turn
        for caller in callers {
            switch (result, caller.success) {
            case (.failure(let error), _): caller.failure?(caller.request, response, error)
            case (.success(let image), let success?): success(caller.request, response, image)
            // Not if an earlier caller's block has requested another picture.
            case (.success(let image), nil): if self.turn == turn { show(image) }
            }
        }
    }
}
