/// The colors of a BMP of up to 8 bits.
struct BMPPalette: Sendable {
    /// R G B of each, one after the other; black where the file has none.
    let colors: [UInt8]
    /// What is behind it.
    let end: Int

    /// - Parameters:
    ///   - used: how many colors the header says; 0 for as many as the bits can tell apart.
    ///   - width: bytes of one.
    ///   - last: where the palette ends at the latest, because the pixels begin.
    init(
        _ file: ByteView, at start: Int, _ bits: Int, used: Int, width: Int, end last: Int?
    ) throws {
        guard bits <= 8 else {
            // Colors that a display without so many might show are passed over.
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
