public import Foundation
public import FoundationNetworking

/// Shows several pictures, each under a key: what a button does, which has one for each state and
/// place (IM-36).
///
/// Each key has a download of its own; `ImageDisplaying` says what one does.
@MainActor
public protocol KeyedImageDisplaying: AnyObject {
    /// Names a picture, such as `ControlImageKey`.
    associatedtype ImageKey: Hashable & Sendable
    /// The view's downloads; a constant.
    var imageLoads: ImageLoads<ImageKey> { get }
    /// Shows an image, or nothing, under a key.
    func showImage(_ image: DecodedImage?, for key: ImageKey)
}

extension KeyedImageDisplaying {
    /// The downloader of all views that have none of their own (IM-35).
    public static var sharedImageDownloader: ImageDownloader {
        get { ImageLoad.sharedDownloader }
        set { ImageLoad.sharedDownloader = newValue }
    }

    /// Downloads and shows the picture of a URL; the request has `Accept: image/*` (IM-34).
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

    /// Cancels the download of a key; those of others go on.
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

    /// The download of a key.
    public subscript(key: Key) -> ImageLoad {
        if let load = loads[key] { return load }
        let load = ImageLoad()
        load.downloader = downloader
        loads[key] = load
        return load
    }
}

/// A picture of a control: for which of its states, and in which place.
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
