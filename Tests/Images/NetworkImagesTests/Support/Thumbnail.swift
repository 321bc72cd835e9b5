import Foundation
import NetworkImages

/// A picture's likeness: 16 x 16 cells, each the mean of R G B.
struct Thumbnail {
    private let values: [Int]

    init(_ pixels: Data, _ size: PixelSize) {
        func range(_ cell: Int, _ side: Int) -> Range<Int> {
            let start = cell * side / 16
            return start..<max(start + 1, (cell + 1) * side / 16)
        }
        values = pixels.withUnsafeBytes { bytes in
            var values: [Int] = []
            for down in 0..<16 {
                for across in 0..<16 {
                    let (columns, rows) = (range(across, size.width), range(down, size.height))
                    for color in 0..<3 {
                        var sum = 0
                        for row in rows {
                            for column in columns {
                                sum += Int(bytes[(row * size.width + column) * 4 + color])
                            }
                        }
                        let count = columns.count * rows.count
                        values.append((sum + count / 2) / count)
                    }
                }
            }
            return values
        }
    }

    /// The largest difference of one value from cells in hexadecimal digits.
    func difference(from cells: String) -> Int {
        let digits = Array(cells.utf8)
        guard digits.count == values.count * 2 else { return 256 }
        return values.indices.reduce(0) { most, index in
            let text = String(decoding: digits[index * 2..<index * 2 + 2], as: UTF8.self)
            return max(most, abs(values[index] - (Int(text, radix: 16) ?? 999)))
        }
    }
}
