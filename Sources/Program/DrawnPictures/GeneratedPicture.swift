package import Foundation
package import NetworkImages

/// A generated picture file, for trials without a network.
package struct GeneratedPicture: Sendable {
    /// A file name, also the last part of a URL's path.
    package let name: String
    /// Its media type.
    package let contentType: String
    package let data: Data
    /// The size after the orientation was applied.
    package let pixelSize: PixelSize

    /// All pictures: gradients, one with transparency, the eight orientations, an animation, a BMP and
    /// an icon. The bytes are the same each time.
    ///
    /// - Throws: `ImageDecodingError` where there is no memory.
    package static func all() throws -> [GeneratedPicture] {
        let size = PixelSize(width: 160, height: 120)
        let gradient = Drawing.gradient(size)
        let fading = Drawing.fading(size)
        let letter = Drawing.letter(PixelSize(width: 100, height: 120))
        var pictures = [
            try png("gradient.png", gradient), try png("fading.png", fading),
            try jpeg("gradient.jpg", gradient, nil),
        ]
        for orientation in ImageOrientation.allCases {
            let name = "orientation-\(orientation.rawValue).jpg"
            pictures.append(try jpeg(name, letter, orientation))
        }
        pictures.append(animation("bar.gif", size))
        pictures.append(bmp("squares.bmp", Drawing.squares(size, side: 20)))
        let symbol = Drawing.letter(PixelSize(width: 48, height: 48))
        pictures.append(try icon("icon.ico", symbol))
        return pictures
    }

    private static func png(_ name: String, _ drawing: Drawing) throws -> GeneratedPicture {
        GeneratedPicture(
            name: name, contentType: "image/png", data: try file(drawing), pixelSize: drawing.size)
    }

    private static func file(_ drawing: Drawing) throws -> Data {
        let pixels = Data(drawing.premultiplied)
        guard let image = DecodedImage(pixels: pixels, size: drawing.size) else {
            throw ImageDecodingError(.outOfMemory(pixels.count))
        }
        return try PNGEncoder().data(for: image)
    }

    private static func jpeg(
        _ name: String, _ drawing: Drawing, _ orientation: ImageOrientation?
    ) throws -> GeneratedPicture {
        let stored = drawing.stored(orientation ?? .up)
        let data = try JPEGEncoder(orientation: orientation).data(for: stored.pixels, stored.size)
        return GeneratedPicture(
            name: name, contentType: "image/jpeg", data: data, pixelSize: drawing.size)
    }

    /// A bar that moves from left to right, again and again.
    private static func animation(_ name: String, _ size: PixelSize) -> GeneratedPicture {
        let palette = (0..<128).map { (number: UInt8) -> (UInt8, UInt8, UInt8) in
            (255 - number * 2, number * 2, 128)
        }
        let steps = 12
        let frames = (0..<steps).map { (step: Int) -> [UInt8] in
            let color = UInt8(step * 127 / (steps - 1))
            return (0..<size.width * size.height).map { (pixel: Int) -> UInt8 in
                pixel % size.width * steps / size.width == step ? color : 64
            }
        }
        return GeneratedPicture(
            name: name, contentType: "image/gif",
            data: GIFEncoder(palette: palette, delay: 10).data(for: frames, size),
            pixelSize: size)
    }

    /// A BMP with 24 bits a pixel, and the lowest row first.
    private static func bmp(_ name: String, _ drawing: Drawing) -> GeneratedPicture {
        let (width, height) = (drawing.size.width, drawing.size.height)
        let stride = (width * 3 + 3) / 4 * 4
        var file = Data("BM".utf8)
        let planesAndBits: [UInt8] = [1, 0, 24, 0]
        file.append(contentsOf: numbers(54 + stride * height, 0, 54, 40, width, height))
        file.append(contentsOf: planesAndBits)
        file.append(contentsOf: numbers(0, stride * height, 2835, 2835, 0, 0))
        for row in (0..<height).reversed() {
            for column in 0..<width {
                let color = drawing[row * width + column]
                file.append(contentsOf: [color.blue, color.green, color.red])
            }
            file.append(Data(count: stride - width * 3))
        }
        return GeneratedPicture(
            name: name, contentType: "image/bmp", data: file, pixelSize: drawing.size)
    }

    /// An icon file with one PNG.
    private static func icon(_ name: String, _ drawing: Drawing) throws -> GeneratedPicture {
        let png = try file(drawing)
        let sides = [UInt8(drawing.size.width), UInt8(drawing.size.height)]
        var icon = Data([0, 0, 1, 0, 1, 0])
        icon.append(contentsOf: sides)
        icon.append(contentsOf: [0, 0, 1, 0, 32, 0])
        icon.append(contentsOf: numbers(png.count, 22))
        icon.append(png)
        return GeneratedPicture(
            name: name, contentType: "image/x-icon", data: icon, pixelSize: drawing.size)
    }

    /// The numbers with four bytes each, little-endian.
    private static func numbers(_ numbers: Int...) -> [UInt8] {
        numbers.flatMap { number in (0..<4).map { UInt8(number >> ($0 * 8) & 255) } }
    }
}
