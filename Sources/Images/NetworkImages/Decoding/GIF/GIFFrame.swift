/// One frame of a GIF: where it is drawn, how, and where its data lie.
struct GIFFrame: Sendable {
    /// Where a palette lies in the file: three bytes for each color.
    struct Palette: Sendable {
        let start: Int
        let count: Int
    }

    /// What becomes of a frame before the next one is drawn.
    enum Disposal: Sendable {
        case keep, clear, restore

        /// 0 and 1 leave it; the reserved numbers are taken for 1.
        init(_ number: UInt8) {
            self = number == 2 ? .clear : number == 3 ? .restore : .keep
        }
    }

    /// What the block in front of a frame says of it.
    struct Control: Sendable {
        var disposal = Disposal.keep
        /// Hundredths of a second, as the file has it.
        var delay = 0
        /// The index that is not drawn.
        var transparent: UInt8?
    }

    let left: Int
    let top: Int
    let size: PixelSize
    let isInterlaced: Bool
    let palette: Palette?
    let control: Control
    /// Where the length of the codes is; the blocks are behind it.
    let data: Int

    /// How long it is shown, in seconds: delays below 0.02 s become 0.1 s, as in browsers.
    var duration: Double {
        control.delay < 2 ? 0.1 : Double(control.delay) / 100
    }

    /// The rows in the order in which they come.
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
