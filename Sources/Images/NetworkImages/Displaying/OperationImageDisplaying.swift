public import Foundation
public import FoundationNetworking
public import OperationNetworking

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

/// Downloads one image for one view, by an operation, as in AFNetworking 2.
///
/// Two things differ. AFNetworking's cache had no limit; here the shared cache is an `AutoPurgingImageCache`. When an
/// operation ended, AFNetworking compared its URL with that of the view's current operation. The end of a cancelled one
/// could therefore be taken for that of a later one with the same URL; here the operations are compared.
///
/// ## Concurrency
/// Call from: the main actor; `init` from any thread. Lock: none. Calls out on: the main actor.
@MainActor
public final class ImageOperation {
    /// The image cache that all views share.
    public static var sharedCache: any ImageRequestCache = AutoPurgingImageCache()
    /// The queue for the operations of all views, with the default `maxConcurrentOperationCount`.
    public static let sharedQueue = OperationQueue.outsideDefaultPool()

    /// Makes images of responses.
    public var responseSerializer = ImageResponseSerializer()
    /// The operation that waits or runs; nil if there is none.
    public private(set) var current: HTTPRequestOperation?

    /// The cache policies with which the cache is not read, as in AFNetworking.
    private static let reloadingPolicies: Set<URLRequest.CachePolicy> = [
        .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData,
    ]

    /// Makes an object without an operation.
    public nonisolated init() {}

    func start(
        _ request: URLRequest, placeholder: DecodedImage?, success: ImageLoad.Success?,
        failure: ImageLoad.Failure?, show: @escaping ImageLoad.Show
    ) {
        cancel()
        let cache = Self.sharedCache
        if !Self.reloadingPolicies.contains(request.cachePolicy),
            let image = cache.image(for: request, withAdditionalIdentifier: nil)
        {
            if let success { success(request, nil, image) } else { show(image) }
            return
        }
        let operation = HTTPRequestOperation(request: request)
        operation.responseSerializer = responseSerializer
        operation.setCompletionBlock { [weak self] operation, object in
            let image = object as? DecodedImage
            if let image { cache.keep(image, for: request, nil) }
            MainActor.assumeIsolated {
                guard let self, self.current === operation else { return }
                self.current = nil
                switch (image, success) {
                case (let image?, let success?): success(request, operation.response, image)
                case (let image?, nil): show(image)
                case (nil, _):
                    failure?(
                        request, operation.response,
                        ResponseSerializationError(
                            .undecodableImage, response: operation.response, data: nil))
                }
            }
        } failure: { [weak self] operation, error in
            MainActor.assumeIsolated {
                guard let self, self.current === operation else { return }
                self.current = nil
                failure?(request, operation.response, error)
            }
        }
        current = operation
        if let placeholder { show(placeholder) }
        // `show` is the caller's code, which may have started another download or cancelled this one.
        guard current === operation else { return }
        Self.sharedQueue.addOperation(operation)
    }

    func cancel() {
        let old = current
        current = nil
        old?.cancel()
    }
}
