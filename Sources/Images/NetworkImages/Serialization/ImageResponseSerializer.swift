public import Foundation
public import FoundationNetworking
import Locking
public import OperationNetworking

/// Decodes images: PNG, JPEG, GIF, BMP and ICO, by their first bytes.
///
/// The object is a `DecodedImage`. It accepts the content types of AFNetworking's list,
/// `image/tiff` too: a TIFF is then refused by name. A body that is no image is error -1016, where
/// AFNetworking's serializer succeeded without an object; one beyond the limits is error -1103,
/// with the limit as its underlying error.
///
/// ## Concurrency
/// Call from: any thread but the network thread. Lock: one around the properties; it is not held
/// while an image is decoded. Calls out on: nothing.
open class ImageResponseSerializer: HTTPResponseSerializer, BodyDecoding, @unchecked Sendable {
    // @unchecked because every variable is guarded by `settings`.
    private struct Settings {
        var scale = 1.0
        var inflates = true
        var limits = ImageLimits()
        var target: PixelSize?
    }

    private let settings = Locked(Settings())

    /// Makes a serializer with the default settings.
    public required init() {
        super.init()
        acceptableContentTypes = Self.types
    }

    private static let types: Set = [
        "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon",
        "image/bmp", "image/x-bmp", "image/x-xbitmap", "image/x-win-bitmap",
    ]

    /// The most pixels that are decoded with the response: 1,024 times 1,024, as in AFNetworking.
    private static let inflatedPixels = 1024 * 1024

    /// Pixels for each point; 1 by default. AFNetworking's default is the main screen's scale.
    public var imageScale: Double {
        get { settings.withLock { $0.scale } }
        set { settings.withLock { $0.scale = newValue } }
    }

    /// Whether an image of up to 1,024 times 1,024 pixels is decoded with the response; true by
    /// default. Other images are decoded when their pixels are needed.
    public var automaticallyInflatesResponseImage: Bool {
        get { settings.withLock { $0.inflates } }
        set { settings.withLock { $0.inflates = newValue } }
    }

    /// How large an image may be.
    public var limits: ImageLimits {
        get { settings.withLock { $0.limits } }
        set { settings.withLock { $0.limits = newValue } }
    }

    /// The most pixels that are needed; larger images are scaled down while decoding.
    public var targetPixelSize: PixelSize? {
        get { settings.withLock { $0.target } }
        set { settings.withLock { $0.target = newValue } }
    }

    /// The image, or the error of the response.
    ///
    /// The error is that of `validate`, or a `ResponseSerializationError`: `undecodableImage` for a
    /// body that is no image, `exceedsLimit` for one that is too large. The `ImageDecodingError` or
    /// `ImageLimitError` is its underlying error.
    open override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse
    {
        decoded(response, data) {
            do {
                return try decoder.image(from: data ?? Data())
            } catch let limit as ImageLimitError {
                throw ResponseSerializationError(
                    .exceedsLimit(.image), response: response, data: data, underlying: limit)
            } catch {
                throw ResponseSerializationError(
                    .undecodableImage, response: response, data: data, underlying: error)
            }
        }
    }

    private var decoder: ImageDecoder {
        let settings = settings.withLock { $0 }
        var decoder = ImageDecoder()
        decoder.limits = settings.limits
        decoder.targetPixelSize = settings.target
        decoder.scale = settings.scale
        decoder.inflates =
            settings.inflates ? .upTo(pixels: Self.inflatedPixels) : .whenAskedFor
        return decoder
    }

    // MARK: Copying and coding

    /// A serializer of the same class with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        let settings = settings.withLock { $0 }
        (copy as? ImageResponseSerializer)?.settings.withLock { $0 = settings }
        return copy
    }

    /// Reads a serializer from an archive; an invalid scale becomes 1. Limits and target size are
    /// not archived: the program that reads an archive sets them.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        let scale = coder.double("imageScale") ?? 1
        settings.withLock {
            $0.scale = scale > 0 ? scale : 1
            $0.inflates = coder.bool("automaticallyInflatesResponseImage") ?? true
        }
    }

    /// Archives AFNetworking's properties.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        let settings = settings.withLock { $0 }
        coder.encode(settings.scale, forKey: "imageScale")
        coder.encode(settings.inflates, forKey: "automaticallyInflatesResponseImage")
    }
}
