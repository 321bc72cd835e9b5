/// The bits of each color in a 16- or 32-bit pixel.
struct BMPMasks: Sendable {
    struct Mask: Sendable {
        let shift: Int
        /// The largest value; 0 for a color that is missing.
        let most: Int

        init(_ bits: Int) {
            shift = bits == 0 ? 0 : bits.trailingZeroBitCount
            most = bits >> shift
        }

        /// The value scaled to 0 to 255, rounded.
        func value(of pixel: Int) -> UInt8 {
            guard most > 0 else { return 0 }
            return UInt8(((pixel >> shift & most) * 255 + most / 2) / most)
        }
    }

    let red: Mask
    let green: Mask
    let blue: Mask
    let alpha: Mask

    var hasAlpha: Bool { alpha.most > 0 }

    /// - Parameters:
    ///   - isGiven: whether the file has masks; otherwise 5 bits each for 16, and 8 for 32.
    ///   - hasAlpha: whether a fourth mask follows the three.
    init(_ file: ByteView, at start: Int, _ bits: Int, isGiven: Bool, hasAlpha: Bool) throws {
        guard isGiven else {
            let isWide = bits == 32
            red = Mask(isWide ? 0xFF0000 : 0x7C00)
            green = Mask(isWide ? 0xFF00 : 0x03E0)
            blue = Mask(isWide ? 0xFF : 0x1F)
            alpha = Mask(0)
            return
        }
        red = try Self.mask(file, start, bits)
        green = try Self.mask(file, start + 4, bits)
        blue = try Self.mask(file, start + 8, bits)
        alpha = hasAlpha ? try Self.mask(file, start + 12, bits) : Mask(0)
    }

    /// The bits of a mask must be adjacent and fit into the pixel.
    private static func mask(_ file: ByteView, _ place: Int, _ bits: Int) throws -> Mask {
        let number = try file.little32(place)
        let mask = Mask(number)
        guard mask.most & (mask.most + 1) == 0, number >> bits == 0 else {
            throw file.damage("a mask with gaps")
        }
        return mask
    }
}
