import CJPEG
import Foundation
import NetworkImages

/// Writes animations of up to 128 colors as GIF, without compression: each index is a code of 8 bits,
/// and the table is cleared before codes would become longer.
struct GIFEncoder {
    /// R G B of each color.
    let palette: [(UInt8, UInt8, UInt8)]
    /// How long each frame is shown, in hundredths of a second.
    let delay: Int

    /// - Parameter frames: an index for each pixel, row by row.
    func data(for frames: [[UInt8]], _ size: PixelSize) -> Data {
        var file = Data("GIF89a".utf8)
        file.append(contentsOf: words(size.width, size.height) + [0xF6, 0, 0])
        for index in 0..<128 {
            let color = index < palette.count ? palette[index] : (0, 0, 0)
            file.append(contentsOf: [color.0, color.1, color.2])
        }
        file.append(contentsOf: [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0])
        for frame in frames {
            file.append(contentsOf: [0x21, 0xF9, 4, 4] + words(delay) + [0, 0])
            file.append(contentsOf: [0x2C] + words(0, 0, size.width, size.height) + [0, 7])
            append(codes(for: frame), to: &file)
        }
        file.append(0x3B)
        return file
    }

    private func words(_ numbers: Int...) -> [UInt8] {
        numbers.flatMap { [UInt8($0 & 255), UInt8($0 >> 8 & 255)] }
    }

    private func codes(for frame: [UInt8]) -> [UInt8] {
        var codes: [UInt8] = []
        for (number, index) in frame.enumerated() {
            if number % 120 == 0 { codes.append(128) }
            codes.append(index & 127)
        }
        return codes + [129]
    }

    private func append(_ codes: [UInt8], to file: inout Data) {
        for start in stride(from: 0, to: codes.count, by: 255) {
            let block = codes[start..<min(start + 255, codes.count)]
            file.append(UInt8(block.count))
            file.append(contentsOf: block)
        }
        file.append(0)
    }
}

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
