public import Foundation
public import FoundationNetworking

/// Shows one picture that an operation of its own downloads: AFNetworking 2's category on
/// `UIImageView`, for old sources and to compare with. New code is `ImageDisplaying`.
///
/// There is one operation a view on a queue that all views share, and no merging: views that ask for
/// one URL at the same time each send a request.
@MainActor
public protocol OperationImageDisplaying: AnyObject {
    /// What is shown; nil for nothing.
    var image: DecodedImage? { get set }
    /// The view's operation; a constant.
    var imageOperation: ImageOperation { get }
}

extension OperationImageDisplaying {
    /// Where all views look for images first.
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
    /// The operation before is cancelled, also for the same URL, and its blocks are not called. An
    /// image in the shared cache is shown, or given to `success` with a nil response, before this
    /// returns; a request whose policy reloads passes the cache over. Otherwise the placeholder is
    /// shown, if there is one.
    ///
    /// - Parameters:
    ///   - success: called on main instead of showing the picture.
    ///   - failure: called on main; the placeholder stays.
    public func setImage(
        with request: URLRequest, placeholder: DecodedImage? = nil,
        success: ImageLoad.Success? = nil, failure: ImageLoad.Failure? = nil
    ) {
        imageOperation.start(
            request, placeholder: placeholder, success: success, failure: failure
        ) { [weak self] in self?.image = $0 }
    }

    /// Cancels the operation; what is shown stays, and no block is called.
    public func cancelImageRequestOperation() {
        imageOperation.cancel()
    }
}
