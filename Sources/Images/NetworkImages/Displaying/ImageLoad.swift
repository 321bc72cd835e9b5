import Foundation
public import FoundationNetworking
import OperationNetworking

/// The download of one picture for one place that shows it, such as a view or a cell.
///
/// It never shows a picture that is not the latest one asked for: another request cancels the one
/// before (IM-30), and what comes of that is dropped (IM-31). A view keeps one and is
/// `ImageDisplaying`. When it is released with its view, the download goes on for the cache, and no
/// block is called.
///
/// ## Concurrency
/// Call from: the main actor; `init` from anywhere. Lock: none. Calls out on: the main actor.
@MainActor
public final class ImageLoad {
    /// Called with the request, the response, which is nil for an image of the cache, and the image.
    public typealias Success = @MainActor (URLRequest, HTTPURLResponse?, DecodedImage) -> Void
    /// Called with the request, the response where there is one, and the error.
    public typealias Failure = @MainActor (URLRequest, HTTPURLResponse?, any Error) -> Void
    /// Shows an image, or nothing.
    typealias Show = @MainActor (DecodedImage?) -> Void

    /// The downloader of all places that have none of their own (IM-35).
    public static var sharedDownloader = ImageDownloader.default

    /// The downloader of this place; nil for the shared one.
    public var downloader: ImageDownloader?

    /// Whether a request that is under way already is ignored together with its blocks, as the
    /// original did (IM-29); otherwise, and by default, its blocks are called with the others.
    public var ignoresRepeatedRequests = false

    /// The receipt of the download under way.
    ///
    /// Nil if there is none, or if the downloader has taken the image from its cache meanwhile.
    public var receipt: ImageDownloadReceipt? { active?.receipt }

    /// Whether an image has been asked for and has not come.
    public var isLoading: Bool { active != nil }

    private var active: Download?
    /// How often something was asked for or cancelled.
    private var turn = 0

    /// A place without a picture.
    public nonisolated init() {}

    /// Who asked, and how that is told.
    private struct Caller {
        let request: URLRequest
        let success: Success?
        let failure: Failure?
    }

    /// One download; its identity tells it from the one before.
    @MainActor
    private final class Download {
        let key: SharingKey
        let filter: String?
        /// The one that loads it, also where the shared one was replaced meanwhile.
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

    /// Asks for a picture; `ImageDisplaying` says what happens.
    func start(
        _ request: URLRequest, placeholder: DecodedImage?, filter: ImageFilter?,
        success: Success?, failure: Failure?, show: @escaping Show
    ) {
        guard request.url != nil else {
            cancel()
            let turn = turn
            show(placeholder)
            // What is shown may ask for another picture.
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
        if let image = new.downloader.keptImage(for: request, filter) {
            return tell([caller], nil, .success(image), show)
        }
        active = new
        if let placeholder { show(placeholder) }
        // What is shown may ask for another picture, or cancel.
        guard active === new else { return }
        new.receipt = new.downloader.download(request, filter: filter) { [weak self] in
            let (response, image) = ($1, $2)
            MainActor.assumeIsolated { self?.end(new, response, .success(image), show) }
        } failure: { [weak self] in
            let (response, error) = ($1, $2)
            MainActor.assumeIsolated { self?.end(new, response, .failure(error), show) }
        }
    }

    /// Cancels the download; none of its blocks is called.
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
        // First, because a block may ask for another picture.
        active = nil
        tell(download.callers, response, result, show)
    }

    private func tell(
        _ callers: [Caller], _ response: HTTPURLResponse?,
        _ result: Result<DecodedImage, any Error>, _ show: Show
    ) {
        let turn = turn
        for caller in callers {
            switch (result, caller.success) {
            case (.failure(let error), _): caller.failure?(caller.request, response, error)
            case (.success(let image), let success?): success(caller.request, response, image)
            // Not if the block of another caller has asked for another picture.
            case (.success(let image), nil): if self.turn == turn { show(image) }
            }
        }
    }
}
