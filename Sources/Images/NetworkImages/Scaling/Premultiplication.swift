/// Colors multiplied by their alpha, and back.
package enum Premultiplication {
    /// Replaces each color by (color * alpha + 127) / 255.
    package static func apply(to row: UnsafeMutableBufferPointer<UInt8>) {
        var index = 0
        while index + 3 < row.count {
            let alpha = Int(row[index + 3])
            if alpha != 255 {
                for place in index..<index + 3 {
                    row[place] = UInt8((Int(row[place]) * alpha + 127) / 255)
                }
            }
            index += 4
        }
    }

    /// A color before premultiplication; 0 where alpha is 0.
    static func undone(_ color: UInt8, alpha: UInt8) -> UInt8 {
        guard alpha != 0 else { return 0 }
        return UInt8(min(255, (Int(color) * 255 + Int(alpha) / 2) / Int(alpha)))
    }
}
