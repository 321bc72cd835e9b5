import CJPEG
import Foundation
import NetworkImages

/// Writes pictures as JPEG, without chroma subsampling.
struct JPEGEncoder {
    /// From 1 to 100.
    var quality = 90
    /// Written as EXIF; the drawing must be transformed already, see `Drawing.stored(_:)`.
    var orientation: ImageOrientation?

    func data(for pixels: [UInt8], _ size: PixelSize) throws -> Data {
        var count = 0
        let file = cjpeg_write(
            pixels, UInt32(size.width), UInt32(size.height), Int32(quality), &count)
        guard let file else { throw ImageDecodingError(.outOfMemory(pixels.count)) }
        defer { free(file) }
        var data = Data(bytes: file, count: count)
        if let orientation { data.insert(contentsOf: Self.segment(orientation), at: 2) }
        return data
    }

    /// An APP1 segment with one directory of one entry.
    private static func segment(_ orientation: ImageOrientation) -> [UInt8] {
        let tiff: [UInt8] =
            Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0]
            + [UInt8(orientation.rawValue), 0, 0, 0, 0, 0, 0]
        let body = Array("Exif\0\0".utf8) + tiff
        return [0xFF, 0xE1, 0, UInt8(body.count + 2)] + body
    }
}
