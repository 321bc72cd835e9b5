import Foundation

/// A BMP, decoded row by row where it is not compressed.
struct BMPPicture: EncodedPicture {
    let header: BMPHeader
    let format = ImageFormat.bmp
    var stored: PixelSize { header.size }

    init(_ file: ByteView, _ limits: ImageLimits) throws {
        header = try BMPHeader(file, at: 14, pixels: file.little32(10), limits)
        // The rows must exist before memory is allocated for them. Run-length codes have no fixed
        // length: a file shorter than its header says is truncated.
        if isInRuns {
            if try file.little32(2) > file.count { throw file.end }
        } else {
            let last = header.stride * (header.size.height - 1)
            _ = try file.part(header.pixels, last + (header.size.width * header.bits + 7) / 8)
        }
    }

    private var isInRuns: Bool { header.compression == .runs8 || header.compression == .runs4 }

    func decodedBytes(scaled: PixelSize) -> Int {
        isInRuns && scaled != stored ? scaled.bytes.addedSaturating(stored.bytes) : scaled.bytes
    }

    func pixels(of file: Data, scaled: PixelSize) throws -> PixelBuffer {
        try file.withUnsafeBytes { bytes in
            let view = ByteView(bytes, .bmp)
            if isInRuns {
                let all = try BMPRuns(header: header, file: view).pixels()
                return try all.shown(scaled: scaled, .up, hasAlpha: false)
            }
            return try rows(BMPRows(header: header, file: view), scaled)
        }
    }

    private func rows(_ rows: BMPRows, _ scaled: PixelSize) throws -> PixelBuffer {
        var writer = try RowWriter(
            from: stored, to: scaled, .up, hasAlpha: header.masks.hasAlpha)
        let row = try PixelBuffer(PixelSize(width: stored.width, height: 1))
        for number in 0..<stored.height {
            try rows.write(number, to: row.all)
            writer.take(row.all)
        }
        return writer.finish()
    }
}
