/// Scales a picture down, row by row: each new pixel is the mean of the area that it covers.
///
/// Only one row of sums is stored, so the full picture need not exist. Colors must be
/// premultiplied.
struct BoxFilter {
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
        // Heights in units of 1 / (source height * target height): this row covers top to bottom,
        // and a target row the source's height.
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
        var place = 0
        for pixel in 0..<source.width {
            var left = pixel * target.width
            let right = left + target.width
            while left < right {
                let end = min(right, (place + 1) * source.width)
                let weight = UInt64(end - left)
                for color in 0..<4 {
                    narrow[place * 4 + color] += UInt64(row[pixel * 4 + color]) * weight
                }
                if end == (place + 1) * source.width { place += 1 }
                left = end
            }
        }
    }
}
