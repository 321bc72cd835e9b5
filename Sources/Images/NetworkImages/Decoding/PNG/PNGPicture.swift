import Foundation

/// A PNG, decoded row by row. An animation's other frames are ignored.
struct PNGPicture: EncodedPicture {
    let header: PNGHeader
    let format = ImageFormat.png
    var stored: PixelSize { header.size }
    var orientation: ImageOrientation { header.orientation }

    init(_ file: ByteView, _ limits: ImageLimits) throws {
        header = try PNGHeader(file, limits)
    }

    func decodedBytes(scaled: PixelSize) -> Int {
        let isWhole = scaled == stored && orientation == .up
        // Seven passes need all rows at full size.
        return header.isInterlaced && !isWhole
            ? scaled.bytes.addedSaturating(stored.bytes) : scaled.bytes
    }

    func pixels(of file: Data, scaled: PixelSize) throws -> PixelBuffer {
        try file.withUnsafeBytes { bytes in
            try ByteView(bytes, .png).withBytes { start, count in
                let reader = try PNGReader(start, count, stored)
                return reader.isInterlaced
                    ? try passes(reader, scaled) : try rows(reader, scaled)
            }
        }
    }

    private func rows(_ reader: PNGReader, _ scaled: PixelSize) throws -> PixelBuffer {
        var writer = try RowWriter(
            from: stored, to: scaled, orientation, hasAlpha: reader.hasAlpha)
        let row = try PixelBuffer(PixelSize(width: stored.width, height: 1))
        for _ in 0..<stored.height {
            try reader.readRow(row.all)
            writer.take(row.all)
        }
        try reader.readEnd()
        return writer.finish()
    }

    private func passes(_ reader: PNGReader, _ scaled: PixelSize) throws -> PixelBuffer {
        let all = try PixelBuffer(stored)
        for _ in 0..<7 {
            for number in 0..<stored.height { try reader.readRow(all.row(number)) }
        }
        try reader.readEnd()
        return try all.shown(scaled: scaled, orientation, hasAlpha: reader.hasAlpha)
    }
}
