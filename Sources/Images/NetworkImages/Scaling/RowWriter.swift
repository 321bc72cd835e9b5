/// Takes a stored picture row by row, from the top, and writes the one for display: premultiplied,
/// scaled down if requested, and turned.
private struct RowWriter {
    private let stored: PixelSize
    private let scaled: PixelSize
    private let orientation: ImageOrientation
    private let hasAlpha: Bool
    private var filter: BoxFilter?
    let target: PixelBuffer

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

    /// Takes a row, and may overwrite its memory; the rows come in order.
    mutating func take(_ row: UnsafeMutableBufferPointer<UInt8>, _ number: Int) {
        precondition(row.count == stored.width * 4 && number < stored.height)
        if hasAlpha { Premultiplication.apply(to: row) }
        if var filter {
            // Moved out, not copied, because its closure uses the rest of this value.
            self.filter = nil
            filter.take(row) { number, row in write(row, as: number) }
            self.filter = filter
        } else {
            write(row, as: number)
        }
    }

    private func write(_ row: UnsafeMutableBufferPointer<UInt8>, as number: Int) {
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
}

extension PixelBuffer {
    /// A picture for display, of rows that `read` writes one after another, from the top, into the same memory.
    ///
    /// - Parameters:
    ///   - stored: the size of the rows that are read.
    ///   - scaled: the size before turning; no larger.
    ///   - hasAlpha: whether the rows must be premultiplied; false where they are, or each pixel is opaque.
    static func shown(
        _ stored: PixelSize, scaled: PixelSize, _ orientation: ImageOrientation = .up,
        hasAlpha: Bool,
        reading read: (_ number: Int, _ row: UnsafeMutableBufferPointer<UInt8>) throws -> Void
    ) throws -> PixelBuffer {
        var writer = try RowWriter(from: stored, to: scaled, orientation, hasAlpha: hasAlpha)
        let row = try PixelBuffer(PixelSize(width: stored.width, height: 1))
        for number in 0..<stored.height {
            try read(number, row.all)
            writer.take(row.all, number)
        }
        return writer.target
    }

    /// Converts a whole stored picture, whose memory is reused.
    func shown(
        scaled: PixelSize, _ orientation: ImageOrientation, hasAlpha: Bool
    ) throws(ImageDecodingError) -> PixelBuffer {
        if scaled == size, orientation == .up {
            if hasAlpha { Premultiplication.apply(to: all) }
            return self
        }
        var writer = try RowWriter(from: size, to: scaled, orientation, hasAlpha: hasAlpha)
        for number in 0..<size.height { writer.take(row(number), number) }
        return writer.target
    }
}

/// Scales a picture down, row by row: each new pixel is the mean of the area that it covers.
///
/// Only two rows of sums are stored, so the full picture need not exist. Colors must be
/// premultiplied.
private struct BoxFilter {
    private let source: PixelSize
    private let target: PixelSize
    /// Weighted sums of the target row in progress, four for each pixel.
    private var sums: [UInt64]
    /// One horizontally scaled row; each sum of weights is the source's width.
    private var narrow: [UInt64]
    private var sourceRow = 0
    private var targetRow = 0

    /// The target must not be larger than the source, in either direction.
    init(from source: PixelSize, to target: PixelSize) {
        self.source = source
        self.target = target
        sums = Array(repeating: 0, count: target.width * 4)
        narrow = sums
    }

    /// Takes the next source row, and calls back with each complete target row.
    mutating func take(
        _ row: UnsafeMutableBufferPointer<UInt8>,
        _ give: (_ number: Int, _ row: UnsafeMutableBufferPointer<UInt8>) -> Void
    ) {
        makeNarrow(row)
        // Both pictures are source.height * target.height units high. A source row has target.height
        // of them, from top to bottom, and a target row source.height.
        let top = sourceRow * target.height
        let bottom = top + target.height
        sourceRow += 1
        while targetRow < target.height {
            let targetBottom = (targetRow + 1) * source.height
            let part = min(bottom, targetBottom) - max(top, targetRow * source.height)
            if part > 0 {
                let weight = UInt64(part)
                for index in sums.indices { sums[index] += narrow[index] * weight }
            }
            guard targetBottom <= bottom else { return }
            finishRow(into: row, give)
        }
    }

    /// Reuses the source row's memory for the target row.
    private mutating func finishRow(
        into row: UnsafeMutableBufferPointer<UInt8>,
        _ give: (Int, UnsafeMutableBufferPointer<UInt8>) -> Void
    ) {
        let total = UInt64(source.width * source.height)
        for index in sums.indices {
            row[index] = UInt8((sums[index] + total / 2) / total)
            sums[index] = 0
        }
        give(targetRow, UnsafeMutableBufferPointer(rebasing: row[..<sums.count]))
        targetRow += 1
    }

    private mutating func makeNarrow(_ row: UnsafeMutableBufferPointer<UInt8>) {
        for index in narrow.indices { narrow[index] = 0 }
        var column = 0
        for pixel in 0..<source.width {
            var left = pixel * target.width
            let right = left + target.width
            while left < right {
                let end = min(right, (column + 1) * source.width)
                let weight = UInt64(end - left)
                for color in 0..<4 {
                    narrow[column * 4 + color] += UInt64(row[pixel * 4 + color]) * weight
                }
                if end == (column + 1) * source.width { column += 1 }
                left = end
            }
        }
    }
}
