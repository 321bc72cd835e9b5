public import Foundation
public import FoundationNetworking
public import NetworkImages

// `UIImageView+AFNetworking` and `UIButton+AFNetworking` of 3.x and 4.x.

extension ImageDisplaying {
    /// The downloader of all views.
    @_disfavoredOverload
    @available(*, deprecated, message: "is a property: leave out the parentheses")
    public static func sharedImageDownloader() -> ImageDownloader { sharedImageDownloader }

    /// Sets the downloader of all views.
    @available(*, deprecated, message: "set the property sharedImageDownloader")
    public static func setSharedImageDownloader(_ imageDownloader: ImageDownloader) {
        sharedImageDownloader = imageDownloader
    }

    /// Downloads and shows the picture of a URL.
    @available(*, deprecated, message: "use setImage(with:)")
    public func setImageWith(_ url: URL?) {
        setImage(with: url)
    }

    /// Downloads and shows the picture of a URL, and a placeholder until then.
    @available(*, deprecated, message: "use setImage(with:placeholder:)")
    public func setImageWith(_ url: URL?, placeholderImage: DecodedImage?) {
        setImage(with: url, placeholder: placeholderImage)
    }

    /// Downloads the picture of a request, and shows it or passes it to `success`.
    @available(*, deprecated, message: "use setImage(with:placeholder:success:failure:)")
    @preconcurrency
    public func setImageWith(
        _ urlRequest: URLRequest, placeholderImage: DecodedImage?,
        success: ImageLoad.Success? = nil, failure: ImageLoad.Failure? = nil
    ) {
        setImage(
            with: urlRequest, placeholder: placeholderImage, success: success, failure: failure)
    }

    /// Cancels the download.
    @available(*, deprecated, renamed: "cancelImageDownload()")
    public func cancelImageDownloadTask() {
        cancelImageDownload()
    }
}

extension KeyedImageDisplaying {
    /// The downloader of all views.
    @_disfavoredOverload
    @available(*, deprecated, message: "is a property: leave out the parentheses")
    public static func sharedImageDownloader() -> ImageDownloader { sharedImageDownloader }

    /// Sets the downloader of all views.
    @available(*, deprecated, message: "set the property sharedImageDownloader")
    public static func setSharedImageDownloader(_ imageDownloader: ImageDownloader) {
        sharedImageDownloader = imageDownloader
    }

    /// Downloads and shows the picture of a state.
    @available(*, deprecated, message: "use setImage(for:with:placeholder:)")
    public func setImageFor<State>(
        _ state: State, with url: URL?, placeholderImage: DecodedImage? = nil
    ) where ImageKey == ControlImageKey<State> {
        setImage(for: ControlImageKey(state), with: url, placeholder: placeholderImage)
    }

    /// Downloads the picture of a state, and shows it or passes it to `success`.
    @available(*, deprecated, message: "use setImage(for:with:placeholder:success:failure:)")
    @preconcurrency
    public func setImageFor<State>(
        _ state: State, with urlRequest: URLRequest, placeholderImage: DecodedImage?,
        success: ImageLoad.Success? = nil, failure: ImageLoad.Failure? = nil
    ) where ImageKey == ControlImageKey<State> {
        setImage(
            for: ControlImageKey(state), with: urlRequest, placeholder: placeholderImage,
            success: success, failure: failure)
    }

    /// Downloads and shows the background picture of a state.
    @available(*, deprecated, message: "use setImage(for:with:placeholder:)")
    public func setBackgroundImageFor<State>(
        _ state: State, with url: URL?, placeholderImage: DecodedImage? = nil
    ) where ImageKey == ControlImageKey<State> {
        setImage(
            for: ControlImageKey(state, .background), with: url, placeholder: placeholderImage)
    }

    /// Downloads the background picture of a state, and shows it or passes it to `success`.
    @available(*, deprecated, message: "use setImage(for:with:placeholder:success:failure:)")
    @preconcurrency
    public func setBackgroundImageFor<State>(
        _ state: State, with urlRequest: URLRequest, placeholderImage: DecodedImage?,
        success: ImageLoad.Success? = nil, failure: ImageLoad.Failure? = nil
    ) where ImageKey == ControlImageKey<State> {
        setImage(
            for: ControlImageKey(state, .background), with: urlRequest,
            placeholder: placeholderImage, success: success, failure: failure)
    }

    /// Cancels the download of a state.
    @available(*, deprecated, renamed: "cancelImageDownload(for:)")
    public func cancelImageDownloadTask<State>(for state: State)
    where ImageKey == ControlImageKey<State> {
        cancelImageDownload(for: ControlImageKey(state))
    }

    /// Cancels the download of the background picture of a state.
    @available(*, deprecated, renamed: "cancelImageDownload(for:)")
    public func cancelBackgroundImageDownloadTask<State>(for state: State)
    where ImageKey == ControlImageKey<State> {
        cancelImageDownload(for: ControlImageKey(state, .background))
    }
}

// `UIImageView+AFNetworking` of 2.x.

extension OperationImageDisplaying {
    /// The image cache of all views.
    @_disfavoredOverload
    @available(*, deprecated, message: "is a property: leave out the parentheses")
    public static func sharedImageCache() -> any ImageRequestCache { sharedImageCache }

    /// Sets the image cache of all views.
    @available(*, deprecated, message: "set the property sharedImageCache")
    public static func setSharedImageCache(_ imageCache: any ImageRequestCache) {
        sharedImageCache = imageCache
    }

    /// Downloads and shows the picture of a URL.
    @available(*, deprecated, message: "use setImage(with:)")
    public func setImageWith(_ url: URL?) {
        setImage(with: url)
    }

    /// Downloads and shows the picture of a URL, and a placeholder until then.
    @available(*, deprecated, renamed: "setImage(with:placeholder:)")
    public func setImageWith(_ url: URL?, placeholderImage: DecodedImage?) {
        setImage(with: url, placeholder: placeholderImage)
    }

    /// Downloads the picture of a request, and shows it or passes it to `success`.
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
