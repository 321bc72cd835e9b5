public import Foundation
public import FoundationNetworking

/// A view that shows one picture, downloaded by an operation: AFNetworking 2's category on
/// `UIImageView`, for old sources and for comparison. Use `ImageDisplaying` in new code.
///
/// Each view has one operation on a queue that all views share. Requests are not merged: views that
/// request one URL at the same time each send a request.
@MainActor
public protocol OperationImageDisplaying: AnyObject {
    /// The picture on display; nil for none.
    var image: DecodedImage? { get set }
    /// The view's operation; a constant.
    var imageOperation: ImageOperation { get }
}

extension OperationImageDisplaying {
    /// The cache that all views look up first.
    public static var sharedImageCache: any ImageRequestCache {
        get { ImageOperation.sharedCache }
        set { ImageOperation.sharedCache = newValue }
    }

    /// Decodes the view's images.
    public var imageResponseSerializer: ImageResponseSerializer {
        get { imageOperation.responseSerializer }
        set { imageOperation.responseSerializer = newValue }
    }

    /// Downloads and shows the picture of a URL; the request has `Accept: image/*`.
    public func setImage(with url: URL?, placeholder: DecodedImage? = nil) {
        setImage(with: URLRequest(imageAt: url), placeholder: placeholder)
    }

    /// Downloads and shows the picture of a request.
    ///
    /// The last operation is cancelled, also for the same URL, and its blocks are not called. An
    /// image in the shared cache is shown, or passed to `success` with a nil response, before this
    /// returns; a request whose policy reloads bypasses the cache. Otherwise the placeholder is
    /// shown, if there is one.
    ///
    /// - Parameters:
    ///   - success: called on the main queue instead of showing the picture.
    ///   - failure: called on the main queue; the placeholder stays.
    public func setImage(
        with request: URLRequest, placeholder: DecodedImage? = nil,
        success: ImageLoad.Success? = nil, failure: ImageLoad.Failure? = nil
    ) {
        imageOperation.start(
            request, placeholder: placeholder, success: success, failure: failure
        ) { [weak self] in self?.image = $0 }
    }

    /// Cancels the operation; the view keeps its picture, and no block is called.
    public func cancelImageRequestOperation() {
        imageOperation.cancel()
    }
}
