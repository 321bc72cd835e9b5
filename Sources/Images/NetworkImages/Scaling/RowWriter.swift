/// Takes a stored picture row by row, from the top, and writes the one for display: premultiplied,
/// scaled down if requested, and turned.
struct RowWriter {
    private let stored: PixelSize
    private let scaled: PixelSize
    private let orientation: ImageOrientation
    private let hasAlpha: Bool
    private var filter: BoxFilter?
    private let target: PixelBuffer
    private var rowsTaken = 0

    /// - Parameters:
    ///   - stored: the size of the given rows.
    ///   - scaled: the size before turning; no larger.
    ///   - hasAlpha: false where each given pixel is opaque.
    init(
        from stored: PixelSize, to scaled: PixelSize, _ orientation: ImageOrientation,
        hasAlpha: Bool
    ) throws(ImageDecodingError) {
        self.stored = stored
        self.scaled = scaled
        self.orientation = orientation
        self.hasAlpha = hasAlpha
        filter = stored == scaled ? nil : BoxFilter(from: stored, to: scaled)
        target = try PixelBuffer(orientation.size(of: scaled))
    }

    /// Takes the next row, not premultiplied, and overwrites its memory.
    mutating func take(_ row: UnsafeMutableBufferPointer<UInt8>) {
        precondition(row.count == stored.width * 4 && rowsTaken < stored.height)
        if hasAlpha { Premultiplication.apply(to: row) }
        if var filter {
            // Moved out, not copied, because its closure uses the rest of this value.
            self.filter = nil
            filter.take(row) { number, row in place(row, as: number) }
            self.filter = filter
        } else {
            place(row, as: rowsTaken)
        }
        rowsTaken += 1
    }

    private func place(_ row: UnsafeMutableBufferPointer<UInt8>, as number: Int) {
        let pixels = target.all
        var (to, step) = orientation.path(of: number, in: scaled)
        if step == 1 {
            _ = UnsafeMutableBufferPointer(rebasing: pixels[to * 4..<to * 4 + row.count])
                .update(fromContentsOf: row)
            return
        }
        var from = 0
        while from < row.count {
            for color in 0..<4 { pixels[to * 4 + color] = row[from + color] }
            from += 4
            to += step
        }
    }

    func finish() -> PixelBuffer {
        precondition(rowsTaken == stored.height)
        return target
    }
}

extension PixelBuffer {
    /// Converts a whole stored picture, whose memory is reused.
    func shown(
        scaled: PixelSize, _ orientation: ImageOrientation, hasAlpha: Bool
    ) throws(ImageDecodingError) -> PixelBuffer {
        if scaled == size, orientation == .up {
            if hasAlpha { Premultiplication.apply(to: all) }
            return self
        }
        var writer = try RowWriter(from: size, to: scaled, orientation, hasAlpha: hasAlpha)
        for number in 0..<size.height { writer.take(row(number)) }
        return writer.finish()
    }
}
