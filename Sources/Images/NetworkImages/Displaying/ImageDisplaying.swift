public import Foundation
public import FoundationNetworking

/// A view, in any user interface, that shows one downloaded picture.
///
/// ```swift
/// final class Avatar: ImageDisplaying {
///     let imageLoad = ImageLoad()
///     var image: DecodedImage? { didSet { draw() } }
/// }
/// avatar.setImage(with: url, placeholder: gray)
/// ```
///
/// It corresponds to AFNetworking's category on `UIImageView`. A view can be reused for another URL:
/// a download that finishes late never replaces the picture of a newer request. Until the new picture
/// has arrived, the view shows the placeholder, or its old picture if there is no placeholder.
@MainActor
public protocol ImageDisplaying: AnyObject {
    /// The picture on display; nil for none.
    var image: DecodedImage? { get set }
    /// Does the view's downloads, one at a time. Declare it with `let`.
    var imageLoad: ImageLoad { get }
}

extension ImageDisplaying {
    /// The downloader of every view whose `imageLoad.downloader` is nil.
    public static var sharedImageDownloader: ImageDownloader {
        get { ImageLoad.sharedDownloader }
        set { ImageLoad.sharedDownloader = newValue }
    }

    /// Downloads and shows the picture of a URL; the request has `Accept: image/*`.
    ///
    /// In all else it is like the method that takes a request.
    public func setImage(
        with url: URL?, placeholder: DecodedImage? = nil, filter: ImageFilter? = nil,
        success: ImageLoad.Success? = nil, failure: ImageLoad.Failure? = nil
    ) {
        setImage(
            with: URLRequest(imageAt: url), placeholder: placeholder, filter: filter,
            success: success, failure: failure)
    }

    /// Downloads and shows the picture of a request.
    ///
    /// - If the downloader's cache has the picture and the request's `cachePolicy` allows cached data,
    ///   the picture is shown, or passed to `success`, before this method returns.
    /// - Otherwise the placeholder is shown at once; without a placeholder the old picture stays.
    /// - If the view is still downloading for another request, that download is cancelled and its
    ///   blocks are not called.
    /// - If the view is still downloading for an equal request with the same filter, nothing is sent
    ///   again. When that download ends, the blocks of both calls are called.
    ///   `ImageDownloader.joining` sets which requests count as equal.
    /// - If the request has no URL, the running download is cancelled and `image` becomes the
    ///   placeholder, or nil without one. `failure` is called with `URLError.badURL` before this
    ///   method returns.
    ///
    /// - Parameters:
    ///   - filter: changes the picture before it is shown; `.fitting(_:)` sets a target size.
    ///   - success: called with the picture, which then is not shown.
    ///   - failure: called with the error; the view keeps what it shows.
    public func setImage(
        with request: URLRequest, placeholder: DecodedImage? = nil, filter: ImageFilter? = nil,
        success: ImageLoad.Success? = nil, failure: ImageLoad.Failure? = nil
    ) {
        imageLoad.start(
            request, placeholder: placeholder, filter: filter, success: success, failure: failure
        ) { [weak self] in self?.image = $0 }
    }

    /// Cancels the running download; the view keeps what it shows, and no block is called.
    public func cancelImageDownload() {
        imageLoad.cancel()
    }
}

extension URLRequest {
    /// A request with `Accept: image/*`; for nil, a request without a URL.
    init(imageAt url: URL?) {
        // No initializer makes a request without a URL, so the URL is removed afterwards.
        self.init(url: url ?? URL(fileURLWithPath: "/"))
        self.url = url
        addValue("image/*", forHTTPHeaderField: "Accept")
    }
}

/// A view that shows several pictures, each under a key, such as a button with one picture for each
/// of its states.
///
/// Each key has its own downloads, which work as in `ImageDisplaying`.
@MainActor
public protocol KeyedImageDisplaying: AnyObject {
    /// The type of the keys, such as `ControlImageKey`.
    associatedtype ImageKey: Hashable & Sendable
    /// Does the view's downloads, one at a time for each key. Declare it with `let`.
    var imageLoads: ImageLoads<ImageKey> { get }
    /// Shows an image for a key; nil removes the key's image.
    func showImage(_ image: DecodedImage?, for key: ImageKey)
}

extension KeyedImageDisplaying {
    /// The downloader of every view whose `imageLoads.downloader` is nil.
    public static var sharedImageDownloader: ImageDownloader {
        get { ImageLoad.sharedDownloader }
        set { ImageLoad.sharedDownloader = newValue }
    }

    /// Downloads and shows the picture of a URL; the request has `Accept: image/*`.
    public func setImage(
        for key: ImageKey, with url: URL?, placeholder: DecodedImage? = nil,
        filter: ImageFilter? = nil, success: ImageLoad.Success? = nil,
        failure: ImageLoad.Failure? = nil
    ) {
        setImage(
            for: key, with: URLRequest(imageAt: url), placeholder: placeholder, filter: filter,
            success: success, failure: failure)
    }

    /// Downloads and shows the picture of a request, as `ImageDisplaying` does.
    public func setImage(
        for key: ImageKey, with request: URLRequest, placeholder: DecodedImage? = nil,
        filter: ImageFilter? = nil, success: ImageLoad.Success? = nil,
        failure: ImageLoad.Failure? = nil
    ) {
        imageLoads[key].start(
            request, placeholder: placeholder, filter: filter, success: success, failure: failure
        ) { [weak self] in self?.showImage($0, for: key) }
    }

    /// Cancels the download of a key; other keys' downloads continue.
    public func cancelImageDownload(for key: ImageKey) {
        imageLoads[key].cancel()
    }
}

/// The downloads of a view that shows several pictures: one `ImageLoad` for each key.
///
/// ## Concurrency
/// Call from: the main actor; `init` from anywhere. Lock: none. Calls out on: nothing, for it calls no
/// block of the caller's.
@MainActor
public final class ImageLoads<Key: Hashable & Sendable> {
    private var loads: [Key: ImageLoad] = [:]

    /// The downloader of this view; if nil, the view uses the shared one.
    public var downloader: ImageDownloader? {
        didSet { loads.values.forEach { $0.downloader = downloader } }
    }

    /// Makes an object that downloads nothing yet.
    public nonisolated init() {}

    /// The object that does the downloads of a key; it is made when it is first needed.
    public subscript(key: Key) -> ImageLoad {
        if let load = loads[key] { return load }
        let load = ImageLoad()
        load.downloader = downloader
        loads[key] = load
        return load
    }
}

/// The key of a control's picture: the control's state, and where the picture is.
public struct ControlImageKey<State: Hashable & Sendable>: Hashable, Sendable {
    /// Where a control shows a picture.
    public enum Place: Hashable, Sendable {
        /// Beside the control's title.
        case image
        /// Behind the title and the image.
        case background
    }

    /// The control's state in which the picture is shown.
    public var state: State
    /// Where the control shows the picture.
    public var place: Place

    /// Makes the key of the picture for a state and a place.
    public init(_ state: State, _ place: Place = .image) {
        self.state = state
        self.place = place
    }
}
