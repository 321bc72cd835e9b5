public import Foundation
public import FoundationNetworking

/// A view that shows several pictures by key, such as a button with one for each state and place.
///
/// Each key has its own download, which works as in `ImageDisplaying`.
@MainActor
public protocol KeyedImageDisplaying: AnyObject {
    /// Names a picture, such as `ControlImageKey`.
    associatedtype ImageKey: Hashable & Sendable
    /// The view's downloads; a constant.
    var imageLoads: ImageLoads<ImageKey> { get }
    /// Shows an image, or none, for a key.
    func showImage(_ image: DecodedImage?, for key: ImageKey)
}

extension KeyedImageDisplaying {
    /// The downloader of all views that have no own one.
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

/// The downloads of a view that shows several pictures.
///
/// ## Concurrency
/// Call from: the main actor; `init` from anywhere. Lock: none. Calls out on: nothing.
@MainActor
public final class ImageLoads<Key: Hashable & Sendable> {
    private var loads: [Key: ImageLoad] = [:]

    /// The downloader of this view; nil for the shared one.
    public var downloader: ImageDownloader? {
        didSet { loads.values.forEach { $0.downloader = downloader } }
    }

    /// A view without pictures.
    public nonisolated init() {}

    /// The download of a key, made when it is first needed.
    public subscript(key: Key) -> ImageLoad {
        if let load = loads[key] { return load }
        let load = ImageLoad()
        load.downloader = downloader
        loads[key] = load
        return load
    }
}

/// The key of a control's picture: a state and a place.
public struct ControlImageKey<State: Hashable & Sendable>: Hashable, Sendable {
    /// Where a control shows a picture.
    public enum Place: Hashable, Sendable {
        /// Beside its title.
        case image
        /// Behind everything.
        case background
    }

    /// The state in which it is shown.
    public var state: State
    /// Where it is shown.
    public var place: Place

    /// A picture of a state in a place.
    public init(_ state: State, _ place: Place = .image) {
        self.state = state
        self.place = place
    }
}
