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
    /// The offset of the compressed data, which begin with the size of their first LZW code.
    let data: Int

    /// How long the frame is shown, in seconds. A delay below 0.02 s in the file means 0.1 s, as in browsers.
    var duration: Double {
        control.delay < 2 ? 0.1 : Double(control.delay) / 100
    }

    /// Returns which row of the image the file's row with this number is. An interlaced frame has every eighth row first.
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
