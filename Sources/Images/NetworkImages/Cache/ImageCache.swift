/// Keeps decoded images by a name.
///
/// Any thread may call it. Another cache can stand in the place of `AutoPurgingImageCache` (IM-26).
public protocol ImageCache: Sendable {
    /// Keeps an image in place of the one of the same name (IM-19).
    func add(_ image: DecodedImage, withIdentifier identifier: String)

    /// The image of a name; asking counts as a use.
    func image(withIdentifier identifier: String) -> DecodedImage?

    /// Forgets an image; whether there was one (IM-22).
    @discardableResult
    func removeImage(withIdentifier identifier: String) -> Bool

    /// Forgets all images; whether there was one.
    @discardableResult
    func removeAllImages() -> Bool
}
