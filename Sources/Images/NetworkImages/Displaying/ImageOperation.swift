public import Foundation
import FoundationNetworking
public import OperationNetworking

/// The operation that downloads one picture for one view, as in AFNetworking 2.
///
/// AFNetworking's cache had no limit; here the shared one is an `AutoPurgingImageCache`.
/// AFNetworking compared URLs, so the end of a cancelled operation counted as that of the next one
/// for the same URL; here the operations are compared.
///
/// ## Concurrency
/// Call from: the main actor; `init` from anywhere. Lock: none. Calls out on: the main actor.
@MainActor
public final class ImageOperation {
    /// The cache of all views.
    public static var sharedCache: any ImageRequestCache = AutoPurgingImageCache()
    /// The queue of all views' operations, with the default concurrency.
    public static let sharedQueue = OperationQueue.outsideDefaultPool()

    /// Decodes the images.
    public var responseSerializer = ImageResponseSerializer()
    /// The running operation.
    public private(set) var current: HTTPRequestOperation?

    /// The policies that bypass the cache; AFNetworking knew only these two.
    private static let reloadingPolicies: Set<URLRequest.CachePolicy> = [
        .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData,
    ]

    /// Makes an object that loads nothing yet.
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
        // Showing a picture may request another one, or cancel.
        guard current === operation else { return }
        Self.sharedQueue.addOperation(operation)
    }

    func cancel() {
        let old = current
        current = nil
        old?.cancel()
    }
}
