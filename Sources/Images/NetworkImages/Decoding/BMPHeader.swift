/// The headers of a BMP. A picture in an icon file lacks the first fourteen bytes.
struct BMPHeader: Sendable {
    enum Compression: Sendable {
        case none, runs8, runs4, masks
    }

    let size: PixelSize
    /// Whether the first stored row is the top one.
    let isTopDown: Bool
    let bits: Int
    let compression: Compression
    let palette: BMPPalette
    /// Used for 16 and 32 bits.
    let masks: BMPMasks
    /// The offset of the rows.
    let pixels: Int

    /// Bytes of one row, a multiple of four.
    var stride: Int { (size.width * bits + 31) / 32 * 4 }
    /// Bytes of one row without those that fill it up.
    var rowBytes: Int { (size.width * bits + 7) / 8 }

    /// - Parameters:
    ///   - start: the offset of the second header.
    ///   - pixels: the offset of the rows; nil where they follow the headers.
    ///   - halved: whether the height counts the rows twice, as in an icon.
    /// - Throws: `ImageDecodingError`, or `ImageLimitError`.
    init(
        _ file: ByteView, at start: Int, pixels: Int?, halved: Bool = false,
        _ limits: ImageLimits
    ) throws {
        let length = try file.little32(start)
        guard Self.lengths.contains(length) else {
            throw file.damage("a header of \(length) bytes")
        }
        let isOld = length == 12
        let height: Int
        if isOld {
            let width = try file.little16(start + 4)
            height = try file.little16(start + 6)
            size = PixelSize(width: width, height: halved ? height / 2 : height)
            isTopDown = false
        } else {
            height = Self.signed(try file.little32(start + 8))
            let width = Self.signed(try file.little32(start + 4))
            size = PixelSize(width: width, height: halved ? abs(height) / 2 : abs(height))
            isTopDown = height < 0
        }
        guard size.width > 0, size.height > 0 else { throw file.damage("a side is 0 or negative") }
        try limits.check(size)
        guard try file.little16(start + (isOld ? 8 : 12)) == 1 else {
            throw file.damage("its number of planes is not 1")
        }
        bits = try file.little16(start + (isOld ? 10 : 14))
        compression = try Self.compression(
            isOld ? 0 : file.little32(start + 16), bits, isTopDown: isTopDown, file)
        var offset = start + length
        // The 40-byte header does not contain the masks; they follow it.
        let hasMasks = length == 40 && compression == .masks
        masks = try BMPMasks(
            file, at: hasMasks ? offset : start + 40, bits, isGiven: compression == .masks,
            hasAlpha: length >= 56 && length != 64)
        if hasMasks { offset += 12 }
        let used = isOld ? 0 : try file.little32(start + 32)
        palette = try BMPPalette(
            file, at: offset, bits, used: used, width: isOld ? 3 : 4, end: pixels)
        self.pixels = pixels ?? palette.end
        guard self.pixels >= offset else { throw file.damage("its pixels lie inside its header") }
    }

    /// OS/2's two header lengths and Windows's five.
    private static let lengths: Set = [12, 40, 52, 56, 64, 108, 124]

    private static func compression(
        _ number: Int, _ bits: Int, isTopDown: Bool, _ file: ByteView
    ) throws -> Compression {
        switch (number, bits) {
        case (0, 1), (0, 4), (0, 8), (0, 16), (0, 24), (0, 32): return .none
        case (1, 8) where !isTopDown: return .runs8
        case (2, 4) where !isTopDown: return .runs4
        case (3, 16), (3, 32): return .masks
        default: throw file.damage("\(bits) bits with compression \(number)")
        }
    }

    private static func signed(_ number: Int) -> Int {
        Int(Int32(truncatingIfNeeded: number))
    }
}

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
    private static func mask(_ file: ByteView, _ offset: Int, _ bits: Int) throws -> Mask {
        let number = try file.little32(offset)
        let mask = Mask(number)
        guard mask.most & (mask.most + 1) == 0, number >> bits == 0 else {
            throw file.damage("a mask with gaps")
        }
        return mask
    }
}

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
            let offset = start + index * width
            for color in 0..<3 { colors[index * 3 + color] = try file.byte(offset + 2 - color) }
        }
        self.colors = colors
        end = start + count * width
    }
}
