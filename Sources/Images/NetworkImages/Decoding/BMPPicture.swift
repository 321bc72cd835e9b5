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
            if try file.little32(2) > file.count { throw file.truncation }
        } else {
            let last = header.stride * (header.size.height - 1)
            _ = try file.part(header.pixels, last + header.rowBytes)
        }
    }

    private var isInRuns: Bool { header.compression == .runs8 || header.compression == .runs4 }

    func decodedBytes(scaled: PixelSize) -> Int {
        isInRuns && scaled != stored ? scaled.bytes.addedSaturating(stored.bytes) : scaled.bytes
    }

    func pixels(of file: Data, scaled: PixelSize) throws -> PixelBuffer {
        try file.withUnsafeBytes { bytes in
            let view = ByteView(bytes, .bmp)
            let reader = BMPReader(header: header, file: view)
            if isInRuns {
                return try reader.drawnRuns().shown(scaled: scaled, .up, hasAlpha: false)
            }
            return try PixelBuffer.shown(
                stored, scaled: scaled, hasAlpha: header.masks.hasAlpha, reading: reader.write)
        }
    }
}

/// Reads the pixels of a BMP: rows that are not compressed, or run-length codes.
struct BMPReader {
    let header: BMPHeader
    let file: ByteView

    /// Writes a row, counted from the top, as R G B A, not premultiplied.
    func write(_ number: Int, to row: UnsafeMutableBufferPointer<UInt8>) throws {
        let stored = header.isTopDown ? number : header.size.height - 1 - number
        let source = try file.part(header.pixels + stored * header.stride, header.rowBytes)
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

/// The run-length codes of 4 or 8 bits: rows from the lowest one up, with jumps between.
extension BMPReader {
    /// All pixels; pixels that no run covers have the first color.
    ///
    /// - Throws: where the codes end before the last row.
    func drawnRuns() throws -> PixelBuffer {
        let buffer = try PixelBuffer(header.size)
        let first = buffer.row(0)
        for pixel in 0..<header.size.width { header.palette.write(0, to: first, pixel) }
        for number in 1..<max(1, header.size.height) {
            _ = buffer.row(number).update(fromContentsOf: first)
        }
        try draw(in: buffer)
        return buffer
    }

    private func draw(in buffer: PixelBuffer) throws {
        let (width, height) = (header.size.width, header.size.height)
        var offset = header.pixels
        var (column, line) = (0, 0)
        /// Pixels outside are not drawn, and take no time.
        func put(_ count: Int, _ index: (Int) throws -> Int) rethrows {
            if column < width, line < height {
                let row = buffer.row(height - 1 - line)
                for number in 0..<min(count, width - column) {
                    header.palette.write(try index(number), to: row, column + number)
                }
            }
            column += count
        }
        while true {
            // The last row may be complete without an end mark, before half a code too.
            let isWhole = line >= height || (line == height - 1 && column >= width)
            if isWhole, (0...1).contains(file.count - offset) { return }
            let (count, value) = (Int(try file.byte(offset)), Int(try file.byte(offset + 1)))
            offset += 2
            switch (count, value) {
            case (0, 0): (column, line) = (0, line + 1)
            case (0, 1):
                // Otherwise most of the picture would be undrawn.
                guard line >= height - 1 else { throw file.damage("its codes end early") }
                return
            case (0, 2):
                column += Int(try file.byte(offset))
                line += Int(try file.byte(offset + 1))
                offset += 2
            case (0, _):
                try put(value) { try literal($0, at: offset) }
                // Literal indices occupy an even number of bytes.
                let bytes = header.compression == .runs4 ? (value + 1) / 2 : value
                offset += bytes + bytes % 2
            default:
                put(count) { repeated(value, $0) }
            }
            guard line <= height else { return }
        }
    }

    private func literal(_ number: Int, at offset: Int) throws -> Int {
        guard header.compression == .runs4 else { return Int(try file.byte(offset + number)) }
        let byte = Int(try file.byte(offset + number / 2))
        return number % 2 == 0 ? byte >> 4 : byte & 15
    }

    /// Two alternating indices of 4 bits, or one of 8.
    private func repeated(_ value: Int, _ number: Int) -> Int {
        guard header.compression == .runs4 else { return value }
        return number % 2 == 0 ? value >> 4 : value & 15
    }
}
