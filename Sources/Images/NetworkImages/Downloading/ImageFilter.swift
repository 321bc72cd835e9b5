/// Changes an image after it was downloaded.
public struct ImageFilter: Sendable {
    /// Identifies what it does, for the cache and for callers that wait for the same result.
    public let identifier: String
    let change: @Sendable (DecodedImage) throws -> DecodedImage

    /// Makes a filter.
    ///
    /// - Parameters:
    ///   - identifier: the same for filters that do the same, and for no others.
    ///   - change: called on a thread of the processing pool, never on the main thread; an error
    ///     that it throws is the error of the download.
    public init(
        identifier: String, _ change: @escaping @Sendable (DecodedImage) throws -> DecodedImage
    ) {
        self.identifier = identifier
        self.change = change
    }

    /// Makes images no larger than a size in pixels, as `DecodedImage.fitting(_:)` does: the target
    /// size of one request.
    ///
    /// The downloader caches the image itself besides the smaller one. Where no view shows it in
    /// full size, `ImageResponseSerializer.targetPixelSize`, for all requests, costs less.
    public static func fitting(_ size: PixelSize) -> ImageFilter {
        ImageFilter(identifier: " fitting \(size.width) x \(size.height)") { try $0.fitting(size) }
    }
}
