import Foundation

/// A GIF: its first frame as a picture, and the other frames one at a time.
struct GIFPicture: EncodedPicture {
    let format = ImageFormat.gif
    /// The size of the canvas on which frames are drawn.
    private(set) var stored: PixelSize
    private(set) var frames: [GIFFrame] = []
    /// How often the animation is repeated after the first time: 0 for ever; nil where the file does not say, which
    /// means never.
    private(set) var loopCount: Int?
    private let globalPalette: GIFFrame.Palette?
    /// Pixels of frames outside the canvas, which are decompressed but never visible.
    private var hiddenPixels = 0

    var frameCount: Int { frames.count }

    /// Reads all blocks; nothing is decompressed.
    ///
    /// After a frame, the end of the file or an unknown block counts as the end mark, as in
    /// browsers. A truncated frame counts; drawing it fails unless its pixels are there.
    ///
    /// - Throws: `ImageDecodingError` where there is no frame; `ImageLimitError`.
    init(_ file: ByteView, _ limits: ImageLimits) throws {
        stored = PixelSize(width: try file.little16(6), height: try file.little16(8))
        try limits.check(stored)
        let flags = try file.byte(10)
        var offset = 13
        globalPalette = try Self.palette(file, flags, &offset)
        do {
            try readBlocks(file, &offset, limits)
        } catch let error as ImageDecodingError where error == file.truncation && !frames.isEmpty {}
        if frames.isEmpty { throw file.damage("it has no frame") }
    }

    private mutating func readBlocks(
        _ file: ByteView, _ offset: inout Int, _ limits: ImageLimits
    ) throws {
        var control = GIFFrame.Control()
        while true {
            let kind = try file.byte(offset)
            offset += 1
            switch kind {
            case 0x3B: return
            case 0x21: try readExtension(file, &offset, &control)
            case 0x2C:
                try readFrame(file, &offset, control, limits)
                control = GIFFrame.Control()
            case 0x00: continue
            default:
                if frames.isEmpty { throw file.damage("an unknown block") }
                return
            }
        }
    }

    private mutating func readFrame(
        _ file: ByteView, _ offset: inout Int, _ control: GIFFrame.Control, _ limits: ImageLimits
    ) throws {
        try limits.check(frames: frames.count + 1)
        let size = PixelSize(
            width: try file.little16(offset + 4), height: try file.little16(offset + 6))
        guard size.width > 0, size.height > 0 else { throw file.damage("a frame's side is 0") }
        try limits.check(size)
        // An empty canvas takes the size of the first frame.
        if stored.width == 0 || stored.height == 0 { stored = size }
        let (left, top) = (try file.little16(offset), try file.little16(offset + 2))
        let width = min(size.width, max(0, stored.width - left))
        let height = min(size.height, max(0, stored.height - top))
        hiddenPixels += size.width * size.height - width * height
        if hiddenPixels > limits.maximumPixels {
            throw ImageLimitError(.pixels, limits.maximumPixels)
        }
        let flags = try file.byte(offset + 8)
        offset += 9
        let palette = try Self.palette(file, flags, &offset) ?? globalPalette
        let data = offset
        offset += 1
        frames.append(
            GIFFrame(
                left: left, top: top, size: size, isInterlaced: flags & 0x40 != 0,
                palette: palette, control: control, data: data))
        try Self.skipBlocks(file, &offset)
    }

    private mutating func readExtension(
        _ file: ByteView, _ offset: inout Int, _ control: inout GIFFrame.Control
    ) throws {
        let label = try file.byte(offset)
        let first = offset + 1
        offset = first
        try Self.skipBlocks(file, &offset)
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
    private static func skipBlocks(_ file: ByteView, _ offset: inout Int) throws {
        while true {
            let length = Int(try file.byte(offset))
            offset += 1 + length
            if length == 0 { return }
        }
    }

    private static func palette(
        _ file: ByteView, _ flags: UInt8, _ offset: inout Int
    ) throws -> GIFFrame.Palette? {
        guard flags & 0x80 != 0 else { return nil }
        let count = 2 << Int(flags & 7)
        _ = try file.part(offset, count * 3)
        defer { offset += count * 3 }
        return GIFFrame.Palette(start: offset, count: count)
    }
}

extension GIFPicture {
    /// The canvas and its result: a smaller picture, or a second canvas for an animation.
    func decodedBytes(scaled: PixelSize) -> Int {
        canvasBytes.addedSaturating(scaled != stored || frameCount > 1 ? scaled.bytes : 0)
    }

    /// The canvas, and a copy where a frame must be removed afterwards.
    var canvasBytes: Int {
        let restores = frames.contains { $0.control.disposal == .restore }
        return stored.bytes.multipliedSaturating(restores ? 2 : 1)
    }

    func pixels(of file: Data, scaled: PixelSize) throws -> PixelBuffer {
        let canvas = try GIFCanvas(self)
        try file.withUnsafeBytes { try canvas.drawNext(ByteView($0, .gif)) }
        return try Self.shown(canvas.pixels, scaled)
    }

    /// The canvas itself, or a copy scaled down; the canvas is not modified.
    static func shown(_ canvas: PixelBuffer, _ scaled: PixelSize) throws -> PixelBuffer {
        guard scaled != canvas.size else { return canvas }
        return try PixelBuffer.shown(canvas.size, scaled: scaled, hasAlpha: false) { number, row in
            _ = row.update(fromContentsOf: canvas.row(number))
        }
    }
}
