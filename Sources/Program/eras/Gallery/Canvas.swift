import Foundation
import NetworkImages

/// Opaque pixels that code draws on.
struct Canvas {
    struct Color {
        var red: UInt8
        var green: UInt8
        var blue: UInt8

        /// - Parameter number: as in a style sheet, 0xRRGGBB.
        init(_ number: UInt32) {
            red = UInt8(number >> 16 & 255)
            green = UInt8(number >> 8 & 255)
            blue = UInt8(number & 255)
        }
    }

    let size: PixelSize
    private var pixels: [UInt8]
    private var masks: [Character: StrokeFont.Mask] = [:]
    private var unitOfMasks = 0.0

    init(_ size: PixelSize, _ paper: Color) {
        self.size = size
        pixels = Array(repeating: 255, count: size.width * size.height * 4)
        fill(Box(x: 0, y: 0, width: size.width, height: size.height), paper)
    }

    /// Fills the part of a box that lies on the canvas.
    mutating func fill(_ box: Box, _ color: Color) {
        let (left, right) = (max(0, box.x), min(size.width, box.x + box.width))
        for row in max(0, box.y)..<max(0, box.y, min(size.height, box.y + box.height)) {
            for column in left..<max(left, right) {
                let place = (row * size.width + column) * 4
                pixels[place] = color.red
                pixels[place + 1] = color.green
                pixels[place + 2] = color.blue
            }
        }
    }

    /// Draws a line of one pixel around a box, inside it.
    mutating func frame(_ box: Box, _ color: Color) {
        fill(Box(x: box.x, y: box.y, width: box.width, height: 1), color)
        fill(Box(x: box.x, y: box.y + box.height - 1, width: box.width, height: 1), color)
        fill(Box(x: box.x, y: box.y, width: 1, height: box.height), color)
        fill(Box(x: box.x + box.width - 1, y: box.y, width: 1, height: box.height), color)
    }

    /// Draws an image over what is there; its corner and size must lie on the canvas.
    ///
    /// - Throws: what the decoding of its pixels throws.
    mutating func draw(_ image: DecodedImage, x: Int, y: Int) throws {
        let width = image.pixelWidth
        precondition(x >= 0 && y >= 0 && x + width <= size.width)
        precondition(y + image.pixelHeight <= size.height)
        try image.pixels().withUnsafeBytes { source in
            for row in 0..<image.pixelHeight {
                var from = row * width * 4
                var place = ((y + row) * size.width + x) * 4
                for _ in 0..<width {
                    // Colors are premultiplied: what shines through is added.
                    let rest = 255 - Int(source[from + 3])
                    for color in 0..<3 {
                        let below = (Int(pixels[place + color]) * rest + 127) / 255
                        pixels[place + color] = UInt8(min(255, Int(source[from + color]) + below))
                    }
                    from += 4
                    place += 4
                }
            }
        }
    }

    /// Writes a line of text.
    ///
    /// - Parameters:
    ///   - x: of the first letter's left edge.
    ///   - y: of the top of capitals.
    mutating func write(_ text: String, x: Int, y: Int, _ font: StrokeFont, _ color: Color) {
        if font.unit != unitOfMasks {
            masks = [:]
            unitOfMasks = font.unit
        }
        var x = x
        for letter in text {
            let mask = masks[letter] ?? font.mask(letter)
            masks[letter] = mask
            stamp(mask, x: x, y: y, color)
            x += font.advance(letter)
        }
    }

    private mutating func stamp(_ mask: StrokeFont.Mask, x: Int, y: Int, _ color: Color) {
        for (number, coverage) in mask.coverage.enumerated() where coverage > 0 {
            let column = x + mask.left + number % mask.width
            let row = y + mask.top + number / mask.width
            guard 0..<size.width ~= column, 0..<size.height ~= row else { continue }
            let place = (row * size.width + column) * 4
            pixels[place] = Self.mixed(pixels[place], color.red, coverage)
            pixels[place + 1] = Self.mixed(pixels[place + 1], color.green, coverage)
            pixels[place + 2] = Self.mixed(pixels[place + 2], color.blue, coverage)
        }
    }

    private static func mixed(_ below: UInt8, _ above: UInt8, _ coverage: UInt8) -> UInt8 {
        let part = Int(coverage)
        return UInt8((Int(above) * part + Int(below) * (255 - part) + 127) / 255)
    }

    /// What was drawn.
    var image: DecodedImage? { DecodedImage(pixels: Data(pixels), size: size) }
}

/// A part of a picture, in pixels from its upper left corner.
struct Box: Equatable, Sendable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
}
