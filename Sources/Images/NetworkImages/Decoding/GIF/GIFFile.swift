/// The offsets of a GIF's frames and their control data; nothing is decompressed.
struct GIFFile: Sendable {
    /// The size of the canvas on which frames are drawn.
    private(set) var canvas: PixelSize
    private(set) var frames: [GIFFrame] = []
    /// How often the animation is played: 0 for ever; nil where the file does not say, which means
    /// once.
    private(set) var loopCount: Int?
    private let globalPalette: GIFFrame.Palette?
    /// Pixels of frames outside the canvas, which are decompressed but never visible.
    private var hiddenPixels = 0

    /// Reads all blocks.
    ///
    /// After a frame, the end of the file or an unknown block counts as the end mark, as in
    /// browsers. A truncated frame counts; drawing it fails unless its pixels are there.
    ///
    /// - Throws: `ImageDecodingError` where there is no frame; `ImageLimitError`.
    init(_ file: ByteView, _ limits: ImageLimits) throws {
        canvas = PixelSize(width: try file.little16(6), height: try file.little16(8))
        try limits.check(canvas)
        let flags = try file.byte(10)
        var place = 13
        globalPalette = try Self.palette(file, flags, &place)
        do {
            try readBlocks(file, &place, limits)
        } catch let error as ImageDecodingError where error == file.end && !frames.isEmpty {}
        if frames.isEmpty { throw file.damage("it has no frame") }
    }

    private mutating func readBlocks(
        _ file: ByteView, _ place: inout Int, _ limits: ImageLimits
    ) throws {
        var control = GIFFrame.Control()
        while true {
            let kind = try file.byte(place)
            place += 1
            switch kind {
            case 0x3B: return
            case 0x21: try readExtension(file, &place, &control)
            case 0x2C:
                try readFrame(file, &place, control, limits)
                control = GIFFrame.Control()
            case 0x00: continue
            default:
                if frames.isEmpty { throw file.damage("an unknown block") }
                return
            }
        }
    }

    private mutating func readFrame(
        _ file: ByteView, _ place: inout Int, _ control: GIFFrame.Control, _ limits: ImageLimits
    ) throws {
        try limits.check(frames: frames.count + 1)
        let size = PixelSize(
            width: try file.little16(place + 4), height: try file.little16(place + 6))
        guard size.width > 0, size.height > 0 else { throw file.damage("a frame's side is 0") }
        try limits.check(size)
        // An empty canvas takes the size of the first frame.
        if canvas.width == 0 || canvas.height == 0 { canvas = size }
        let (left, top) = (try file.little16(place), try file.little16(place + 2))
        let width = min(size.width, max(0, canvas.width - left))
        let height = min(size.height, max(0, canvas.height - top))
        hiddenPixels += size.width * size.height - width * height
        if hiddenPixels > limits.maximumPixels {
            throw ImageLimitError(.pixels, limits.maximumPixels)
        }
        let flags = try file.byte(place + 8)
        place += 9
        let palette = try Self.palette(file, flags, &place) ?? globalPalette
        let data = place
        place += 1
        frames.append(
            GIFFrame(
                left: left, top: top, size: size, isInterlaced: flags & 0x40 != 0,
                palette: palette, control: control, data: data))
        try Self.skipBlocks(file, &place)
    }

    private mutating func readExtension(
        _ file: ByteView, _ place: inout Int, _ control: inout GIFFrame.Control
    ) throws {
        let label = try file.byte(place)
        let first = place + 1
        place = first
        try Self.skipBlocks(file, &place)
        switch label {
        case 0xF9 where try file.byte(first) >= 4:
            let flags = try file.byte(first + 1)
            control.disposal = GIFFrame.Disposal(flags >> 2 & 7)
            control.delay = try file.little16(first + 2)
            control.transparent = flags & 1 != 0 ? try file.byte(first + 4) : nil
        case 0xFF
        where file.starts(with: "NETSCAPE2.0", at: first + 1)
            || file.starts(with: "ANIMEXTS1.0", at: first + 1):
            let block = first + 12
            if loopCount == nil, try file.byte(block) >= 3, try file.byte(block + 1) == 1 {
                loopCount = try file.little16(block + 2)
            }
        default: return
        }
    }

    /// Skips blocks, each preceded by its length, up to the empty one.
    private static func skipBlocks(_ file: ByteView, _ place: inout Int) throws {
        while true {
            let length = Int(try file.byte(place))
            place += 1 + length
            if length == 0 { return }
        }
    }

    private static func palette(
        _ file: ByteView, _ flags: UInt8, _ place: inout Int
    ) throws -> GIFFrame.Palette? {
        guard flags & 0x80 != 0 else { return nil }
        let count = 2 << Int(flags & 7)
        _ = try file.part(place, count * 3)
        defer { place += count * 3 }
        return GIFFrame.Palette(start: place, count: count)
    }
}
