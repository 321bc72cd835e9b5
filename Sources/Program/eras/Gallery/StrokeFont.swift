import Foundation

/// Letters as lines on a grid, so that text can be drawn without any font file.
///
/// Capitals stand on row 7 and reach up to row 0, small letters to row 2, and what hangs down ends in
/// row 9. Printable ASCII and the ellipsis are there; an accent is left out, and any other letter is an empty box.
struct StrokeFont {
    /// How much of each pixel a letter covers.
    struct Mask {
        /// From the text's position to the mask's corner.
        var left: Int
        var top: Int
        var width: Int
        /// 0 to 255, row by row.
        var coverage: [UInt8]
    }

    private struct Point {
        var x: Double
        var y: Double
    }

    /// Pixels from one line of the grid to the next.
    let unit: Double

    /// Pixels from the top of a capital to what hangs down of the same line of text.
    var height: Int { Int((unit * 9).rounded(.up)) + 1 }
    /// Pixels from one line of text to the next.
    var lineHeight: Int { Int((unit * 12.5).rounded()) }

    /// Pixels of a text's width.
    func width(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + advance($1) }
    }

    /// The text, or what fits of it with an ellipsis.
    func cut(_ text: String, to width: Int) -> String {
        guard self.width(text) > width else { return text }
        return text.prefix(count(of: text, in: width - advance("…"))) + "…"
    }

    /// The text, or its beginning and end with an ellipsis between them.
    func cutInside(_ text: String, to width: Int) -> String {
        guard self.width(text) > width else { return text }
        let half = (width - advance("…")) / 2
        return String(text.prefix(count(of: text, in: half))) + "…"
            + String(text.suffix(count(of: text.reversed(), in: half)))
    }

    /// How many letters fit, from the first one on.
    func count(of letters: some Sequence<Character>, in width: Int) -> Int {
        var room = width
        return letters.prefix { letter in
            room -= advance(letter)
            return room >= 0
        }.count
    }

    /// Pixels from a letter to the next one.
    func advance(_ letter: Character) -> Int {
        let columns = letter == " " ? 1 : Self.strokes(letter).joined().map(\.x).max() ?? 0
        return Int(((columns + 2) * unit).rounded())
    }

    /// The letter's pixels: each is covered as far as it is near to a line.
    func mask(_ letter: Character) -> Mask {
        let strokes = Self.strokes(letter).map { stroke in
            stroke.map { Point(x: ($0.x * unit).rounded(), y: ($0.y * unit).rounded()) }
        }
        let margin = Int(unit.rounded(.up)) + 1
        let width = Int((strokes.joined().map(\.x).max() ?? 0).rounded(.up)) + margin * 2 + 1
        let height = Int((unit * 9).rounded(.up)) + margin * 2 + 1
        let radius = 0.2 + unit * 0.35
        var coverage: [UInt8] = []
        coverage.reserveCapacity(width * height)
        for row in 0..<height {
            for column in 0..<width {
                let pixel = Point(x: Double(column - margin), y: Double(row - margin))
                let distance = strokes.map { Self.distance(from: pixel, to: $0) }.min() ?? .infinity
                coverage.append(UInt8(max(0, min(1, radius + 0.5 - distance)) * 255))
            }
        }
        return Mask(left: -margin, top: -margin, width: width, coverage: coverage)
    }

    private static func distance(from pixel: Point, to stroke: [Point]) -> Double {
        guard var start = stroke.first else { return .infinity }
        var least = squared(start.x - pixel.x, start.y - pixel.y)
        for end in stroke.dropFirst() {
            let (across, down) = (end.x - start.x, end.y - start.y)
            let length = squared(across, down)
            let along = (pixel.x - start.x) * across + (pixel.y - start.y) * down
            let part = length > 0 ? max(0, min(1, along / length)) : 0
            least = min(
                least, squared(start.x + part * across - pixel.x, start.y + part * down - pixel.y))
            start = end
        }
        return least.squareRoot()
    }

    private static func squared(_ x: Double, _ y: Double) -> Double { x * x + y * y }

    /// A letter without its accents.
    private static func plain(_ letter: Character) -> String? {
        String(letter).decomposedStringWithCanonicalMapping.unicodeScalars.first
            .flatMap { Glyphs.all[Character($0)] }
    }

    private static func strokes(_ letter: Character) -> [[Point]] {
        let text = Glyphs.all[letter] ?? plain(letter) ?? (letter == " " ? "" : Glyphs.unknown)
        return text.split(separator: " ").map { stroke in
            let digits = stroke.utf8.map { Double($0) - 48 }
            return stride(from: 0, to: digits.count - 1, by: 2).map {
                Point(x: digits[$0], y: digits[$0 + 1])
            }
        }
    }
}
