/// The properties of an image file, read before anything is decoded.
public struct ImageHeader: Hashable, Sendable {
    /// Detected by the first bytes.
    public let format: ImageFormat
    /// The size in display orientation.
    public let pixelSize: PixelSize
    /// How the stored picture is oriented.
    public let orientation: ImageOrientation
    /// An animation's frames, an icon file's pictures; 1 otherwise.
    public let frameCount: Int
    /// The peak memory for decoding, in bytes.
    public let decodedBytes: Int
}
