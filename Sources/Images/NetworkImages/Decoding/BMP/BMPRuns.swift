/// The run-length codes of a BMP of 4 or 8 bits: rows from the lowest one up, with jumps between.
struct BMPRuns {
    let header: BMPHeader
    let file: ByteView

    /// All pixels; pixels that no run covers have the first color.
    ///
    /// - Throws: where the codes end before the last row.
    func pixels() throws -> PixelBuffer {
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
        var place = header.pixels
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
            // The last row may be complete without an end mark.
            if place == file.count, line >= height || (line == height - 1 && column >= width) {
                return
            }
            let (count, value) = (Int(try file.byte(place)), Int(try file.byte(place + 1)))
            place += 2
            switch (count, value) {
            case (0, 0): (column, line) = (0, line + 1)
            case (0, 1):
                // Otherwise most of the picture would be undrawn.
                guard line >= height - 1 else { throw file.damage("its codes end early") }
                return
            case (0, 2):
                column += Int(try file.byte(place))
                line += Int(try file.byte(place + 1))
                place += 2
            case (0, _):
                try put(value) { try literal($0, at: place) }
                // Literal indices occupy an even number of bytes.
                let bytes = header.compression == .runs4 ? (value + 1) / 2 : value
                place += bytes + bytes % 2
            default:
                put(count) { repeated(value, $0) }
            }
            guard line <= height else { return }
        }
    }

    private func literal(_ number: Int, at place: Int) throws -> Int {
        guard header.compression == .runs4 else { return Int(try file.byte(place + number)) }
        let byte = Int(try file.byte(place + number / 2))
        return number % 2 == 0 ? byte >> 4 : byte & 15
    }

    /// Two alternating indices of 4 bits, or one of 8.
    private func repeated(_ value: Int, _ number: Int) -> Int {
        guard header.compression == .runs4 else { return value }
        return number % 2 == 0 ? value >> 4 : value & 15
    }
}
