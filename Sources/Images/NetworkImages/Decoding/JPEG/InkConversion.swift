/// Pixels of four inks (cyan, magenta, yellow, black) as R G B A.
enum InkConversion {
    /// Replaces a row. The inks are inverted, as Adobe writes them and everybody reads them: 255 is
    /// no ink.
    static func apply(to row: UnsafeMutableBufferPointer<UInt8>) {
        var index = 0
        while index + 3 < row.count {
            let black = Int(row[index + 3])
            for place in index..<index + 3 {
                row[place] = UInt8((Int(row[place]) * black + 127) / 255)
            }
            row[index + 3] = 255
            index += 4
        }
    }
}
