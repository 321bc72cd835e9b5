/// The colors of a BMP of up to 8 bits.
struct BMPPalette: Sendable {
    /// R G B of each color; black where the file has none.
    let colors: [UInt8]
    /// The offset after the palette.
    let end: Int

    /// - Parameters:
    ///   - used: the number of colors in the header; 0 for as many as the bits can distinguish.
    ///   - width: bytes of one color.
    ///   - last: the latest end of the palette, where the pixels begin.
    init(
        _ file: ByteView, at start: Int, _ bits: Int, used: Int, width: Int, end last: Int?
    ) throws {
        guard bits <= 8 else {
            // Skips the palette of a true-color picture, which is only for displays with fewer
            // colors.
            (colors, end) = ([], start + (used <= 256 ? used * width : 0))
            return
        }
        guard used <= 256 else { throw file.damage("a palette of \(used) colors") }
        let count = used == 0 ? 1 << bits : used
        let room = last.map { max(0, ($0 - start) / width) } ?? count
        var colors = [UInt8](repeating: 0, count: 256 * 3)
        for index in 0..<min(count, room, 256) {
            let place = start + index * width
            for color in 0..<3 { colors[index * 3 + color] = try file.byte(place + 2 - color) }
        }
        self.colors = colors
        end = start + count * width
    }
}
