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
/// It corresponds to AFNetworking's category on `UIImageView`. The view always shows the latest
/// request's picture: a view that is reused for another URL never shows the previous URL's picture.
@MainActor
public protocol ImageDisplaying: AnyObject {
    /// The picture on display; nil for none.
    var image: DecodedImage? { get set }
    /// The view's download; a constant.
    var imageLoad: ImageLoad { get }
}

extension ImageDisplaying {
    /// The downloader of all views that have no own one.
    public static var sharedImageDownloader: ImageDownloader {
        get { ImageLoad.sharedDownloader }
        set { ImageLoad.sharedDownloader = newValue }
    }

    /// Downloads and shows the picture of a URL; the request has `Accept: image/*`.
    ///
    /// Otherwise it is like the method that takes a request.
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
    /// - A picture in the downloader's cache is shown, or passed to `success`, before this returns,
    ///   if the request's policy allows it.
    /// - Otherwise the placeholder is shown at once; without one the old picture stays.
    /// - Another request cancels the last one, whose blocks are not called. An equal request that
    ///   is already running is not sent again, and its blocks are called with the others.
    /// - Without a URL the last request is cancelled, the placeholder, or nothing, is shown, and
    ///   `failure` is called with `URLError.badURL` before this returns.
    ///
    /// - Parameters:
    ///   - filter: changes the picture before it is shown; `.fitting(_:)` sets a target size.
    ///   - success: called instead of showing the picture.
    ///   - failure: called with the error; the placeholder stays.
    public func setImage(
        with request: URLRequest, placeholder: DecodedImage? = nil, filter: ImageFilter? = nil,
        success: ImageLoad.Success? = nil, failure: ImageLoad.Failure? = nil
    ) {
        imageLoad.start(
            request, placeholder: placeholder, filter: filter, success: success, failure: failure
        ) { [weak self] in self?.image = $0 }
    }

    /// Cancels the download; the view keeps its picture, and no block is called.
    public func cancelImageDownload() {
        imageLoad.cancel()
    }
}

extension URLRequest {
    /// A request for a picture; without a URL every transport refuses it.
    init(imageAt url: URL?) {
        self.init(url: url ?? URL(fileURLWithPath: "/"))
        self.url = url
        addValue("image/*", forHTTPHeaderField: "Accept")
    }
}
