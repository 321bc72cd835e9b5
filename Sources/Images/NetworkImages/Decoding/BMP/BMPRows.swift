/// The rows of an uncompressed BMP.
struct BMPRows {
    let header: BMPHeader
    let file: ByteView

    /// Writes a row, counted from the top, as R G B A, not premultiplied.
    func write(_ number: Int, to row: UnsafeMutableBufferPointer<UInt8>) throws {
        let stored = header.isTopDown ? number : header.size.height - 1 - number
        let source = try file.part(
            header.pixels + stored * header.stride, (header.size.width * header.bits + 7) / 8)
        switch header.bits {
        case 1, 4, 8: try writeIndices(source, to: row)
        case 24:
            for pixel in 0..<header.size.width {
                for color in 0..<3 {
                    row[pixel * 4 + color] = try source.byte(pixel * 3 + 2 - color)
                }
                row[pixel * 4 + 3] = 255
            }
        default: try writeMasked(source, to: row)
        }
    }

    private func writeIndices(
        _ source: ByteView, to row: UnsafeMutableBufferPointer<UInt8>
    ) throws {
        let bits = header.bits
        for pixel in 0..<header.size.width {
            let byte = try source.byte(pixel * bits / 8)
            let index = Int(byte) >> (8 - bits - pixel * bits % 8) & (1 << bits - 1)
            header.palette.write(index, to: row, pixel)
        }
    }

    private func writeMasked(
        _ source: ByteView, to row: UnsafeMutableBufferPointer<UInt8>
    ) throws {
        let masks = header.masks
        for pixel in 0..<header.size.width {
            let value =
                header.bits == 16
                ? try source.little16(pixel * 2) : try source.little32(pixel * 4)
            row[pixel * 4] = masks.red.value(of: value)
            row[pixel * 4 + 1] = masks.green.value(of: value)
            row[pixel * 4 + 2] = masks.blue.value(of: value)
            row[pixel * 4 + 3] = masks.hasAlpha ? masks.alpha.value(of: value) : 255
        }
    }
}

extension BMPPalette {
    func write(_ index: Int, to row: UnsafeMutableBufferPointer<UInt8>, _ pixel: Int) {
        for color in 0..<3 { row[pixel * 4 + color] = colors[index * 3 + color] }
        row[pixel * 4 + 3] = 255
    }
}
