import NetworkImages

/// A drawing in memory: 8-bit R G B A, not premultiplied.
struct Drawing {
    typealias Color = (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8)

    let size: PixelSize
    private(set) var pixels: [UInt8] = []

    /// - Parameter color: returns the color of the pixel in a column and a row, from the top left.
    init(_ size: PixelSize, _ color: (_ column: Int, _ row: Int) -> Color) {
        self.size = size
        pixels.reserveCapacity(size.width * size.height * 4)
        for row in 0..<size.height {
            for column in 0..<size.width {
                let color = color(column, row)
                pixels += [color.red, color.green, color.blue, color.alpha]
            }
        }
    }

    subscript(index: Int) -> Color {
        (pixels[index * 4], pixels[index * 4 + 1], pixels[index * 4 + 2], pixels[index * 4 + 3])
    }

    /// The drawing transformed so that a decoder that applies the orientation restores it.
    func stored(_ orientation: ImageOrientation) -> Drawing {
        let stored = orientation.size(of: size)
        return Drawing(stored) { column, row in
            let (start, step) = orientation.path(of: row, in: stored)
            return self[start + column * step]
        }
    }

    /// The pixels as a decoder returns them, premultiplied.
    var premultiplied: [UInt8] {
        var result = pixels
        result.withUnsafeMutableBufferPointer { Premultiplication.apply(to: $0) }
        return result
    }
}

extension Drawing {
    /// Red grows to the right, green downwards, blue to the left.
    static func gradient(_ size: PixelSize) -> Drawing {
        Drawing(size) { column, row in
            let across = column * 255 / max(1, size.width - 1)
            let down = row * 255 / max(1, size.height - 1)
            return (UInt8(across), UInt8(down), UInt8(255 - across), 255)
        }
    }

    /// One color that fades to nothing downwards.
    static func fading(_ size: PixelSize) -> Drawing {
        Drawing(size) { _, row in
            (220, 40, 60, UInt8(255 - row * 255 / max(1, size.height - 1)))
        }
    }

    /// A letter F, which looks different in each of the eight orientations.
    static func letter(_ size: PixelSize) -> Drawing {
        Drawing(size) { column, row in
            let (across, down) = (column * 10 / size.width, row * 12 / size.height)
            let isStem = (2...3).contains(across) && (2...9).contains(down)
            let isBar = (2...7).contains(across) && (2...3).contains(down)
            let isArm = (2...6).contains(across) && (5...6).contains(down)
            return isStem || isBar || isArm ? (30, 60, 160, 255) : (240, 230, 200, 255)
        }
    }

    /// Light and dark squares.
    static func squares(_ size: PixelSize, side: Int) -> Drawing {
        Drawing(size) { column, row in
            (column / side + row / side) % 2 == 0 ? (250, 250, 250, 255) : (60, 130, 90, 255)
        }
    }
}
