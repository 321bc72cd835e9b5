import Foundation
public import FoundationNetworking
public import HTTPSemantics

/// Stores decoded images by name.
///
/// Any thread may call it. A program may use another cache than `AutoPurgingImageCache`.
public protocol ImageCache: Sendable {
    /// Stores an image, replacing the one with the same name.
    func add(_ image: DecodedImage, withIdentifier identifier: String)

    /// The image with a name; reading it counts as a use.
    func image(withIdentifier identifier: String) -> DecodedImage?

    /// Removes an image; returns whether there was one.
    @discardableResult
    func removeImage(withIdentifier identifier: String) -> Bool

    /// Removes all images; returns whether there was one.
    @discardableResult
    func removeAllImages() -> Bool
}

/// Stores decoded images by a request's URL and, for several images of one URL, an identifier.
///
/// The key is the URL's text followed by the identifier. A request without a URL has no image.
///
/// The user is not part of the key. Where images of one URL depend on a login, give each user a
/// downloader with a cache of its own. Otherwise call `removeAllImages()` when the user has changed
/// and the last user's downloads have ended, because a download stores its image when it ends.
public protocol ImageRequestCache: ImageCache {
    /// Whether the image of a request is to be stored; true unless a cache overrides it.
    func shouldCacheImage(
        _ image: DecodedImage, for request: URLRequest,
        withAdditionalIdentifier identifier: String?
    ) -> Bool

    /// Stores the image of a request.
    func add(
        _ image: DecodedImage, for request: URLRequest,
        withAdditionalIdentifier identifier: String?)

    /// The image of a request; reading it counts as a use.
    func image(
        for request: URLRequest, withAdditionalIdentifier identifier: String?
    ) -> DecodedImage?

    /// Removes the image of a request; returns whether there was one.
    @discardableResult
    func removeImage(
        for request: URLRequest, withAdditionalIdentifier identifier: String?
    ) -> Bool
}

extension ImageRequestCache {
    /// True.
    public func shouldCacheImage(
        _ image: DecodedImage, for request: URLRequest,
        withAdditionalIdentifier identifier: String?
    ) -> Bool {
        true
    }

    func keep(_ image: DecodedImage, for request: URLRequest, _ identifier: String?) {
        guard shouldCacheImage(image, for: request, withAdditionalIdentifier: identifier) else {
            return
        }
        add(image, for: request, withAdditionalIdentifier: identifier)
    }

    /// The key of a request; nil where it has no URL.
    static func key(
        for request: URLRequest, withAdditionalIdentifier identifier: String?
    ) -> String? {
        request.url.map { $0.absoluteString + (identifier ?? "") }
    }
}

/// A setting of a cache that is not possible.
///
/// As an `NSError` it has the domain `NetworkImages.cache`; later versions keep its codes.
public enum ImageCacheError: NumberedError, Hashable, Sendable {
    /// 1: the preferred usage after a purge exceeds the capacity, both in bytes.
    case preferredUsageAboveCapacity(preferred: UInt64, capacity: UInt64)

    /// `NetworkImages.cache`.
    public static var errorDomain: String { "NetworkImages.cache" }

    package var numbered: (number: Int, sentence: String) {
        switch self {
        case .preferredUsageAboveCapacity(let preferred, let capacity):
            (
                1,
                "preferredMemoryUsageAfterPurge (\(preferred) bytes) is above memoryCapacity "
                    + "(\(capacity) bytes); it must be at most as large."
            )
        }
    }
}
