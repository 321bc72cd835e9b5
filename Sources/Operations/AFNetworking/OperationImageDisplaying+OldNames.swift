public import Foundation
public import FoundationNetworking
public import NetworkImages

// `UIImageView+AFNetworking` of 2.x, on whatever shows pictures.

extension OperationImageDisplaying {
    /// Where all views look for images first.
    @_disfavoredOverload
    @available(*, deprecated, message: "is a property: leave out the parentheses")
    public static func sharedImageCache() -> any ImageRequestCache { sharedImageCache }

    /// Sets where all views look for images first.
    @available(*, deprecated, message: "set the property sharedImageCache")
    public static func setSharedImageCache(_ imageCache: any ImageRequestCache) {
        sharedImageCache = imageCache
    }

    /// Downloads and shows the picture of a URL.
    @available(*, deprecated, message: "use setImage(with:)")
    public func setImageWith(_ url: URL?) {
        setImage(with: url)
    }

    /// Downloads and shows the picture of a URL, and a placeholder until it comes.
    @available(*, deprecated, renamed: "setImage(with:placeholder:)")
    public func setImageWith(_ url: URL?, placeholderImage: DecodedImage?) {
        setImage(with: url, placeholder: placeholderImage)
    }

    /// Downloads the picture of a request, and shows it or gives it to `success`.
    @available(*, deprecated, renamed: "setImage(with:placeholder:success:failure:)")
    @preconcurrency
    public func setImageWith(
        _ urlRequest: URLRequest, placeholderImage: DecodedImage?,
        success: ImageLoad.Success? = nil, failure: ImageLoad.Failure? = nil
    ) {
        setImage(
            with: urlRequest, placeholder: placeholderImage, success: success, failure: failure)
    }
}
