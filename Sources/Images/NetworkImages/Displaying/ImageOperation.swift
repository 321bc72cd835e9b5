public import Foundation
import FoundationNetworking
public import OperationNetworking

/// The operation that downloads one picture for one place, as AFNetworking 2's views had it.
///
/// The original's cache had no budget; here the shared one is an `AutoPurgingImageCache`. The original
/// compared URLs, so that the end of a cancelled operation counted as that of the next one of the same
/// URL; here the operations are compared.
///
/// ## Concurrency
/// Call from: the main actor; `init` from anywhere. Lock: none. Calls out on: the main actor.
@MainActor
public final class ImageOperation {
    /// The cache of all views.
    public static var sharedCache: any ImageRequestCache = AutoPurgingImageCache()
    /// The queue of all views' operations, of the default width.
    public static let sharedQueue = OperationQueue.outsideDefaultPool()

    /// Decodes the images.
    public var responseSerializer = ImageResponseSerializer()
    /// The operation under way.
    public private(set) var current: HTTPRequestOperation?

    /// Those for which the cache is passed over. The original knew these two alone.
    private static let reloadingPolicies: Set<URLRequest.CachePolicy> = [
        .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData,
    ]

    /// A place without a picture.
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
        // What is shown may ask for another picture, or cancel.
        guard current === operation else { return }
        Self.sharedQueue.addOperation(operation)
    }

    func cancel() {
        let old = current
        current = nil
        old?.cancel()
    }
}
