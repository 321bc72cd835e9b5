/// Converts CMYK pixels to R G B A.
enum InkConversion {
    /// Converts a row in place. The inks are inverted, as Adobe writes them and all decoders
    /// expect: 255 is no ink.
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
