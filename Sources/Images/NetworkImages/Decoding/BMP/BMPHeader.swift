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
        var place = start + length
        // The 40-byte header does not contain the masks; they follow it.
        let hasMasks = length == 40 && compression == .masks
        masks = try BMPMasks(
            file, at: hasMasks ? place : start + 40, bits, isGiven: compression == .masks,
            hasAlpha: length >= 56 && length != 64)
        if hasMasks { place += 12 }
        let used = isOld ? 0 : try file.little32(start + 32)
        palette = try BMPPalette(
            file, at: place, bits, used: used, width: isOld ? 3 : 4, end: pixels)
        self.pixels = pixels ?? palette.end
        guard self.pixels >= place else { throw file.damage("its pixels lie inside its header") }
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
