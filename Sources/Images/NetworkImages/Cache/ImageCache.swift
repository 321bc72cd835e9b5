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
