public import Foundation
public import FoundationNetworking
public import NetworkImages
public import OperationNetworking
public import SessionEra

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

extension ImageDownloader {
    /// The downloader that an application shares.
    @available(*, deprecated, renamed: "default")
    public static func defaultInstance() -> ImageDownloader { .default }

    /// The configuration of AFNetworking's downloader.
    @_disfavoredOverload
    @available(*, deprecated, message: "is a property: leave out the parentheses")
    public static func defaultURLSessionConfiguration() -> URLSessionConfiguration {
        defaultURLSessionConfiguration
    }

    /// Foundation's cache of that configuration.
    @available(
        *, deprecated, message: "use a ResponseCache of defaultManager()"
    )
    public static func defaultURLCache() -> URLCache? { defaultURLSessionConfiguration.urlCache }

    /// The session manager of the downloads; nil if they have another manager, as in a downloader that was made without
    /// one.
    @available(
        *, deprecated,
        message: "use manager: an HTTPRequestOperationManager in a downloader made without one"
    )
    public var sessionManager: HTTPSessionManager? { manager as? HTTPSessionManager }

    /// A downloader with a new session manager of this configuration.
    @available(*, deprecated, message: "use init(manager:)")
    public convenience init(sessionConfiguration configuration: URLSessionConfiguration) {
        let manager = HTTPSessionManager(baseURL: nil, sessionConfiguration: configuration)
        manager.responseSerializer = ImageResponseSerializer()
        self.init(manager: manager, activeDownloads: Self.defaultMaximumActiveDownloads)
    }

    /// A downloader with a session manager. A limit below 1, with which AFNetworking starts nothing, is 1.
    @available(
        *, deprecated,
        message: "use init(manager:downloadPrioritization:maximumActiveDownloads:imageCache:)"
    )
    public convenience init(
        sessionManager: HTTPSessionManager,
        downloadPrioritization: TransferOrder, maximumActiveDownloads: Int,
        imageCache: (any ImageRequestCache)?
    ) {
        self.init(
            manager: sessionManager, order: downloadPrioritization,
            activeDownloads: maximumActiveDownloads, imageCache: imageCache)
    }

    /// Downloads an image, or reads it from the cache.
    @available(*, deprecated, message: "use download(_:success:failure:)")
    @preconcurrency
    @discardableResult
    public func downloadImage(
        for request: URLRequest, success: Success?, failure: Failure?
    ) -> ImageDownloadReceipt? {
        download(request, success: success, failure: failure)
    }

    /// Downloads an image, or reads it from the cache.
    @available(*, deprecated, message: "use download(_:receiptID:success:failure:)")
    @preconcurrency
    @discardableResult
    public func downloadImage(
        for request: URLRequest, withReceiptID receiptID: UUID, success: Success?,
        failure: Failure?
    ) -> ImageDownloadReceipt? {
        download(request, receiptID: receiptID, success: success, failure: failure)
    }

    /// Cancels a caller's part.
    @available(*, deprecated, renamed: "cancel(_:)")
    public func cancelTask(for imageDownloadReceipt: ImageDownloadReceipt) {
        cancel(imageDownloadReceipt)
    }
}

extension AutoPurgingImageCache {
    /// A cache of another size. A preferred usage above the capacity is the capacity.
    @available(
        *, deprecated, renamed: "init(memoryCapacity:preferredMemoryUsageAfterPurge:)"
    )
    public convenience init(memoryCapacity: UInt64, preferredMemoryCapacity: UInt64) {
        self.init(memoryCapacity: memoryCapacity, preferredUsage: preferredMemoryCapacity)
    }
}

extension ImageRequestCache {
    /// Whether the image of a request should be stored.
    @available(*, deprecated, renamed: "shouldCacheImage(_:for:withAdditionalIdentifier:)")
    public func shouldCache(
        _ image: DecodedImage, for request: URLRequest,
        withAdditionalIdentifier identifier: String?
    ) -> Bool {
        shouldCacheImage(image, for: request, withAdditionalIdentifier: identifier)
    }

    /// Removes the image of a request.
    @available(*, deprecated, renamed: "removeImage(for:withAdditionalIdentifier:)")
    @discardableResult
    public func removeImageforRequest(
        _ request: URLRequest, withAdditionalIdentifier identifier: String?
    ) -> Bool {
        removeImage(for: request, withAdditionalIdentifier: identifier)
    }

    /// The image of a request.
    @available(*, deprecated, renamed: "image(for:withAdditionalIdentifier:)")
    public func imageforRequest(
        _ request: URLRequest, withAdditionalIdentifier identifier: String?
    ) -> DecodedImage? {
        image(for: request, withAdditionalIdentifier: identifier)
    }

    /// The image of a request, as in AFNetworking 2.
    @available(*, deprecated, message: "use image(for:withAdditionalIdentifier: nil)")
    public func cachedImage(for request: URLRequest) -> DecodedImage? {
        image(for: request, withAdditionalIdentifier: nil)
    }

    /// Stores the image of a request, as in AFNetworking 2.
    @available(*, deprecated, message: "use add(_:for:withAdditionalIdentifier: nil)")
    public func cacheImage(_ image: DecodedImage, for request: URLRequest) {
        add(image, for: request, withAdditionalIdentifier: nil)
    }
}
