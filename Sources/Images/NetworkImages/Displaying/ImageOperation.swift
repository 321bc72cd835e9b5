public import Foundation
import FoundationNetworking
public import OperationNetworking

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
