import Foundation
public import FoundationNetworking

/// Keeps decoded images by a request's URL and, where there are several of one URL, another name.
///
/// The key is the URL's text with the other name behind it (IM-25). A request without a URL has no
/// image. The user does not count: where pictures of one URL depend on a login, each user needs a
/// downloader with a cache of its own, or all need `removeAllImages()` when the user changes and the downloads of the
/// one before have ended: what is under way is kept when it comes.
public protocol ImageRequestCache: ImageCache {
    /// Whether the image of a request is to be kept; true unless a cache says otherwise.
    func shouldCacheImage(
        _ image: DecodedImage, for request: URLRequest,
        withAdditionalIdentifier identifier: String?
    ) -> Bool

    /// Keeps the image of a request.
    func add(
        _ image: DecodedImage, for request: URLRequest,
        withAdditionalIdentifier identifier: String?)

    /// The image of a request; asking counts as a use.
    func image(
        for request: URLRequest, withAdditionalIdentifier identifier: String?
    ) -> DecodedImage?

    /// Forgets the image of a request; whether there was one.
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

    /// Keeps an image if the cache wants it.
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
