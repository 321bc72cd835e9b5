import Foundation

/// A GIF: its first frame as a picture, and the other frames one at a time.
struct GIFPicture: EncodedPicture {
    let gif: GIFFile
    let format = ImageFormat.gif
    var stored: PixelSize { gif.canvas }
    var frameCount: Int { gif.frames.count }

    init(_ file: ByteView, _ limits: ImageLimits) throws {
        gif = try GIFFile(file, limits)
    }

    /// The canvas and its result: a smaller picture, or a second canvas for an animation.
    func decodedBytes(scaled: PixelSize) -> Int {
        canvasBytes.addedSaturating(scaled != stored || frameCount > 1 ? scaled.bytes : 0)
    }

    /// The canvas, and a copy where a frame must be removed afterwards.
    var canvasBytes: Int {
        let restores = gif.frames.contains { $0.control.disposal == .restore }
        return stored.bytes.multipliedSaturating(restores ? 2 : 1)
    }

    func pixels(of file: Data, scaled: PixelSize) throws -> PixelBuffer {
        let canvas = try GIFCanvas(gif)
        try file.withUnsafeBytes { try canvas.drawNext(ByteView($0, .gif)) }
        return try Self.shown(canvas.pixels, scaled)
    }

    /// A copy of the canvas, scaled down; the canvas is not modified.
    static func shown(_ canvas: PixelBuffer, _ scaled: PixelSize) throws -> PixelBuffer {
        guard scaled != canvas.size else { return canvas }
        var writer = try RowWriter(from: canvas.size, to: scaled, .up, hasAlpha: false)
        let row = try PixelBuffer(PixelSize(width: canvas.size.width, height: 1))
        for number in 0..<canvas.size.height {
            _ = row.all.update(fromContentsOf: canvas.row(number))
            writer.take(row.all)
        }
        return writer.finish()
    }
}
