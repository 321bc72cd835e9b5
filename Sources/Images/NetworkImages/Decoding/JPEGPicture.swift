import CJPEG
import Foundation

struct JPEGPicture: EncodedPicture {
    let header: JPEGHeader
    let format = ImageFormat.jpeg
    var stored: PixelSize { header.size }
    var orientation: ImageOrientation { header.orientation ?? .up }

    init(_ file: ByteView, _ limits: ImageLimits) throws {
        header = try JPEGHeader(file, limits)
    }

    /// The smallest size that libjpeg can produce and that is not below the requested one: a number
    /// of eighths. Memory decreases with its square.
    func made(for scaled: PixelSize) -> PixelSize {
        made(of: eighths(for: scaled))
    }

    private func made(of eighths: Int) -> PixelSize {
        PixelSize(
            width: (stored.width * eighths + 7) / 8, height: (stored.height * eighths + 7) / 8)
    }

    /// Returns the factor, in eighths, with which libjpeg decodes. If several give the same size, it is the largest,
    /// which loses the least detail.
    private func eighths(for scaled: PixelSize) -> Int {
        let enough = (1...8).first { eighths in
            let size = made(of: eighths)
            return size.width >= scaled.width && size.height >= scaled.height
        }
        let size = made(of: enough ?? 8)
        return (1...8).last { made(of: $0) == size } ?? 8
    }

    func decodedBytes(scaled: PixelSize) -> Int {
        let made = made(for: scaled)
        let isWhole = made == scaled && orientation == .up
        return made.bytes.addedSaturating(isWhole ? 0 : scaled.bytes)
            .addedSaturating(header.coefficientBytes)
    }

    func pixels(of file: Data, scaled: PixelSize) throws -> PixelBuffer {
        let eighths = eighths(for: scaled)
        let buffer = try PixelBuffer(made(of: eighths))
        let wish = cjpeg_wish(
            width: UInt32(stored.width), height: UInt32(stored.height), eighths: UInt32(eighths),
            scans: UInt32(header.scans))
        let result = try file.withUnsafeBytes { bytes in
            try ByteView(bytes, .jpeg).withBytes { start, count in
                cjpeg_read(start, count, wish, buffer.all.baseAddress)
            }
        }
        switch result.outcome {
        case cjpeg_whole: break
        case cjpeg_cut: throw ImageDecodingError(.truncated(.jpeg))
        default: throw ImageDecodingError(.damaged(.jpeg, Self.message(of: result)))
        }
        if result.has_inks { InkConversion.apply(to: buffer.all) }
        return try buffer.shown(scaled: scaled, orientation, hasAlpha: false)
    }

    private static func message(of result: cjpeg_result) -> String {
        withUnsafeBytes(of: result.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

/// Converts CMYK pixels to R G B A.
enum InkConversion {
    /// Converts a row in place. The inks are inverted, as Adobe writes them and all decoders
    /// expect: 255 is no ink.
    static func apply(to row: UnsafeMutableBufferPointer<UInt8>) {
        var index = 0
        while index + 3 < row.count {
            let black = Int(row[index + 3])
            for offset in index..<index + 3 {
                row[offset] = UInt8((Int(row[offset]) * black + 127) / 255)
            }
            row[index + 3] = 255
            index += 4
        }
    }
}
