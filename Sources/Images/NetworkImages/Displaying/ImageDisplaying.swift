public import Foundation
public import FoundationNetworking

/// Shows one picture that is downloaded: what a view of images does, on any user interface.
///
/// ```swift
/// final class Avatar: ImageDisplaying {
///     let imageLoad = ImageLoad()
///     var image: DecodedImage? { didSet { draw() } }
/// }
/// avatar.setImage(with: url, placeholder: gray)
/// ```
///
/// It is AFNetworking's category on `UIImageView`. What is shown is always the latest request's: a
/// view that is used again for another URL never shows the picture of the one before.
@MainActor
public protocol ImageDisplaying: AnyObject {
    /// What is shown; nil for nothing.
    var image: DecodedImage? { get set }
    /// The view's download; a constant.
    var imageLoad: ImageLoad { get }
}

extension ImageDisplaying {
    /// The downloader of all views that have none of their own (IM-35).
    public static var sharedImageDownloader: ImageDownloader {
        get { ImageLoad.sharedDownloader }
        set { ImageLoad.sharedDownloader = newValue }
    }

    /// Downloads and shows the picture of a URL; the request has `Accept: image/*` (IM-34).
    ///
    /// Otherwise it is like the form with a request.
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
    /// - A picture in the downloader's cache is shown, or given to `success`, before this returns
    ///   (IM-28), if the request's policy allows it.
    /// - Otherwise the placeholder is shown at once (IM-27); without one the old picture stays.
    /// - Another request cancels the one before, whose blocks are not called (IM-30). An equal one
    ///   that is under way is not sent again, and its blocks are called with the others.
    /// - Without a URL the one before is cancelled, the placeholder, or nothing, is shown, and
    ///   `failure` is called with `URLError.badURL` before this returns (IM-33).
    ///
    /// - Parameters:
    ///   - filter: changes the picture before it is shown; `.fitting(_:)` is a target size.
    ///   - success: called instead of showing the picture (IM-32).
    ///   - failure: called with the error; the placeholder stays.
    public func setImage(
        with request: URLRequest, placeholder: DecodedImage? = nil, filter: ImageFilter? = nil,
        success: ImageLoad.Success? = nil, failure: ImageLoad.Failure? = nil
    ) {
        imageLoad.start(
            request, placeholder: placeholder, filter: filter, success: success, failure: failure
        ) { [weak self] in self?.image = $0 }
    }

    /// Cancels the download; what is shown stays, and no block is called.
    public func cancelImageDownload() {
        imageLoad.cancel()
    }
}

extension URLRequest {
    /// A request for a picture; without a URL it is refused wherever it is sent.
    init(imageAt url: URL?) {
        self.init(url: url ?? URL(fileURLWithPath: "/"))
        self.url = url
        addValue("image/*", forHTTPHeaderField: "Accept")
    }
}
