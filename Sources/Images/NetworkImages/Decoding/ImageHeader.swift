/// What an image file says of itself, before anything of it is decoded.
public struct ImageHeader: Hashable, Sendable {
    /// By the first bytes.
    public let format: ImageFormat
    /// The size that is shown: after it is turned.
    public let pixelSize: PixelSize
    /// How the stored picture is turned.
    public let orientation: ImageOrientation
    /// An animation's frames, an icon file's pictures; 1 otherwise.
    public let frameCount: Int
    /// Bytes that decoding takes at its peak.
    public let decodedBytes: Int
}
