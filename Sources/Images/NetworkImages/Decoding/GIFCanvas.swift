/// The canvas on which a GIF's frames are drawn in order. Pixels are opaque or fully transparent,
/// so they need no premultiplication.
///
/// ## Concurrency
/// Call from: one thread at a time. Lock: none. Calls out on: nothing.
final class GIFCanvas {
    private let gif: GIFPicture
    private(set) var pixels: PixelBuffer
    private(set) var drawn = 0
    /// The canvas before a frame that must be removed afterwards.
    private var before: PixelBuffer?

    init(_ gif: GIFPicture) throws {
        self.gif = gif
        pixels = try PixelBuffer(gif.stored)
    }

    /// Draws the next frame, after disposing of the last one.
    func drawNext(_ file: ByteView) throws {
        if drawn > 0 { try dispose(of: gif.frames[drawn - 1]) }
        let frame = gif.frames[drawn]
        before = frame.control.disposal == .restore ? try pixels.copy() : nil
        try draw(frame, file)
        drawn += 1
    }

    private func dispose(of frame: GIFFrame) throws {
        switch frame.control.disposal {
        case .keep: break
        case .restore:
            if let before { pixels = before }
            before = nil
        case .clear:
            let columns = visible(frame.left, frame.size.width, gif.stored.width)
            for number in visible(frame.top, frame.size.height, gif.stored.height) {
                let row = pixels.row(number)
                for index in columns.lowerBound * 4..<columns.upperBound * 4 { row[index] = 0 }
            }
        }
    }

    private func visible(_ start: Int, _ length: Int, _ limit: Int) -> Range<Int> {
        min(start, limit)..<min(start + length, limit)
    }

    private func draw(_ frame: GIFFrame, _ file: ByteView) throws {
        let colors = try colors(of: frame, file)
        let total = frame.size.width * frame.size.height
        let all = pixels.all
        let canvas = gif.stored
        var (done, column, number) = (0, 0, 0)
        var row = frame.row(of: 0) + frame.top
        var decoder = try LZWDecoder(file, at: frame.data)
        try decoder.decode { sequence, count in
            for offset in stride(from: count - 1, through: 0, by: -1) {
                let color = colors[Int(sequence[offset])]
                let x = frame.left + column
                if row < canvas.height, x < canvas.width, color.isDrawn {
                    let index = (row * canvas.width + x) * 4
                    (all[index], all[index + 1]) = (color.red, color.green)
                    (all[index + 2], all[index + 3]) = (color.blue, 255)
                }
                done += 1
                if done == total { return false }
                column += 1
                if column == frame.size.width {
                    column = 0
                    number += 1
                    row = frame.row(of: number) + frame.top
                }
            }
            return true
        }
    }

    private struct Color {
        var (red, green, blue): (UInt8, UInt8, UInt8) = (0, 0, 0)
        var isDrawn = true
    }

    /// A color for each index; an index beyond the palette is black, and without a palette gray.
    private func colors(of frame: GIFFrame, _ file: ByteView) throws -> [Color] {
        var colors = [Color](repeating: Color(), count: 256)
        for index in 0..<256 {
            if let palette = frame.palette {
                guard index < palette.count else { break }
                let offset = palette.start + index * 3
                colors[index].red = try file.byte(offset)
                colors[index].green = try file.byte(offset + 1)
                colors[index].blue = try file.byte(offset + 2)
            } else {
                let gray = UInt8(index)
                (colors[index].red, colors[index].green, colors[index].blue) = (gray, gray, gray)
            }
        }
        if let transparent = frame.control.transparent {
            colors[Int(transparent)].isDrawn = false
        }
        return colors
    }
}

/// A frame of a GIF file: its position in the image, how it is drawn, and where its data are in the file.
struct GIFFrame: Sendable {
    /// A palette: its offset in the file, and its number of colors, of three bytes each.
    struct Palette: Sendable {
        let start: Int
        let count: Int
    }

    /// What is done with the frame before the next one is drawn.
    enum Disposal: Sendable {
        /// It stays, its area becomes transparent, or its area gets the pixels that it had before.
        case keep, clear, restore

        /// - Parameter number: as in the file; 0, 1 and the reserved numbers mean `keep`.
        init(_ number: UInt8) {
            self = number == 2 ? .clear : number == 3 ? .restore : .keep
        }
    }

    struct Control: Sendable {
        var disposal = Disposal.keep
        /// How long the frame is shown, in hundredths of a second, as in the file.
        var delay = 0
        /// The index of the color that is not drawn.
        var transparent: UInt8?
    }

    let left: Int
    let top: Int
    let size: PixelSize
    let isInterlaced: Bool
    let palette: Palette?
    let control: Control
    /// The offset of the compressed data, which begin with LZW's minimum code size.
    let data: Int

    /// How long the frame is shown, in seconds. A delay below 0.02 s in the file means 0.1 s, as in browsers.
    var duration: Double {
        control.delay < 2 ? 0.1 : Double(control.delay) / 100
    }

    /// The row of the frame that the file has at this place. In an interlaced frame every eighth row comes first.
    func row(of number: Int) -> Int {
        guard isInterlaced else { return number }
        var rest = number
        for (first, step) in [(0, 8), (4, 8), (2, 4), (1, 2)] where first < size.height {
            let rows = (size.height - first + step - 1) / step
            if rest < rows { return first + rest * step }
            rest -= rows
        }
        return number
    }
}
