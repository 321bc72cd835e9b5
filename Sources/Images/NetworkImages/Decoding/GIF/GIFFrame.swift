/// One frame of a GIF: its position, how it is drawn, and the offset of its data.
struct GIFFrame: Sendable {
    /// The offset of a palette: three bytes for each color.
    struct Palette: Sendable {
        let start: Int
        let count: Int
    }

    /// What happens to a frame before the next one is drawn.
    enum Disposal: Sendable {
        case keep, clear, restore

        /// 0 and 1 leave it; the reserved numbers count as 1.
        init(_ number: UInt8) {
            self = number == 2 ? .clear : number == 3 ? .restore : .keep
        }
    }

    struct Control: Sendable {
        var disposal = Disposal.keep
        /// Hundredths of a second, as in the file.
        var delay = 0
        var transparent: UInt8?
    }

    let left: Int
    let top: Int
    let size: PixelSize
    let isInterlaced: Bool
    let palette: Palette?
    let control: Control
    /// The offset of the code length, which the blocks follow.
    let data: Int

    /// How long it is shown, in seconds: a delay below 0.02 s becomes 0.1 s, as in browsers.
    var duration: Double {
        control.delay < 2 ? 0.1 : Double(control.delay) / 100
    }

    /// The position of a row, given its number in the file's order.
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
