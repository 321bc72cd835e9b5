import Foundation

/// A BMP inside an icon file: its rows, followed by a mask of one bit for each pixel.
struct ICOBitmap: EncodedPicture {
    let header: BMPHeader
    let format = ImageFormat.ico
    var stored: PixelSize { header.size }

    init(_ part: ByteView, _ limits: ImageLimits) throws {
        header = try BMPHeader(part, at: 0, pixels: nil, halved: true, limits)
        guard header.compression == .none, !header.isTopDown else {
            throw part.damage("a compressed picture")
        }
        _ = try part.part(header.pixels, header.stride * header.size.height)
    }

    func decodedBytes(scaled: PixelSize) -> Int { scaled.bytes }

    func pixels(of file: Data, scaled: PixelSize) throws -> PixelBuffer {
        try file.withUnsafeBytes { bytes in
            let part = ByteView(bytes, .ico)
            var writer = try RowWriter(from: stored, to: scaled, .up, hasAlpha: true)
            let row = try PixelBuffer(PixelSize(width: stored.width, height: 1))
            let rows = BMPRows(header: header, file: part)
            let hasAlpha = try self.hasAlpha(part)
            for number in 0..<stored.height {
                try rows.write(number, to: row.all)
                if hasAlpha {
                    try writeAlpha(part, number, to: row.all)
                } else {
                    try writeMask(part, number, to: row.all)
                }
                writer.take(row.all)
            }
            return writer.finish()
        }
    }

    private func start(of number: Int) -> Int {
        header.pixels + (stored.height - 1 - number) * header.stride
    }

    /// Pixels of 32 bits have their own alpha, unless all alphas are 0.
    private func hasAlpha(_ part: ByteView) throws -> Bool {
        guard header.bits == 32 else { return false }
        for number in 0..<stored.height {
            for pixel in 0..<stored.width {
                if try part.byte(start(of: number) + pixel * 4 + 3) != 0 { return true }
            }
        }
        return false
    }

    private func writeAlpha(
        _ part: ByteView, _ number: Int, to row: UnsafeMutableBufferPointer<UInt8>
    ) throws {
        for pixel in 0..<stored.width {
            row[pixel * 4 + 3] = try part.byte(start(of: number) + pixel * 4 + 3)
        }
    }

    /// A set bit is a transparent pixel. A truncated or missing mask hides nothing.
    private func writeMask(
        _ part: ByteView, _ number: Int, to row: UnsafeMutableBufferPointer<UInt8>
    ) throws {
        let stride = (stored.width + 31) / 32 * 4
        let first = header.pixels + header.stride * stored.height
        let place = first + (stored.height - 1 - number) * stride
        for pixel in 0..<stored.width {
            guard let byte = try? part.byte(place + pixel / 8) else { return }
            if byte >> (7 - pixel % 8) & 1 == 1 { row[pixel * 4 + 3] = 0 }
        }
    }
}
