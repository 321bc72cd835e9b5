import CTurboJPEG
import Foundation

/// Writes pictures as JPEG, with all colors of each pixel.
struct JPEGEncoder {
    /// 1 to 100.
    var quality = 90
    /// Written as EXIF; the rows are to be as they are stored.
    var orientation: ImageOrientation?

    func data(for pixels: [UInt8], _ size: PixelSize) throws -> Data {
        guard let handle = tjInitCompress() else {
            throw ImageDecodingError(.outOfMemory(size.bytes))
        }
        defer { tjDestroy(handle) }
        var file: UnsafeMutablePointer<UInt8>?
        var count: UInt = 0
        let code = tjCompress2(
            handle, pixels, Int32(size.width), Int32(size.width * 4), Int32(size.height),
            Int32(TJPF_RGBX.rawValue), &file, &count, Int32(TJSAMP_444.rawValue), Int32(quality),
            TJFLAG_ACCURATEDCT)
        defer { tjFree(file) }
        guard code == 0, let file else { throw ImageDecodingError(.outOfMemory(size.bytes)) }
        var data = Data(bytes: file, count: Int(count))
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
