/// Width and height in pixels.
public struct PixelSize: Hashable, Sendable {
    /// Columns.
    public var width: Int
    /// Rows.
    public var height: Int

    /// Any two numbers; a picture has at least one pixel each way.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Bytes of 8-bit R G B A; `Int.max` on overflow.
    var bytes: Int { width.multipliedSaturating(height).multipliedSaturating(4) }

    /// With width and height exchanged.
    var turned: PixelSize { PixelSize(width: height, height: width) }

    /// The largest size with the same proportions that fits; never larger than this one.
    func fitting(_ target: PixelSize?) -> PixelSize {
        guard let target, target.width < width || target.height < height else { return self }
        let (across, down) = (max(1, target.width), max(1, target.height))
        // Compares width / across with height / down, in integers.
        if width.multipliedSaturating(down) >= height.multipliedSaturating(across) {
            return PixelSize(width: across, height: rounded(height, by: across, of: width))
        }
        return PixelSize(width: rounded(width, by: down, of: height), height: down)
    }

    private func rounded(_ side: Int, by part: Int, of whole: Int) -> Int {
        max(1, (side.multipliedSaturating(part) + whole / 2) / whole)
    }
}

extension Int {
    /// The product, or `Int.max` on overflow. Neither number is negative.
    func multipliedSaturating(_ other: Int) -> Int {
        let (product, isLarge) = multipliedReportingOverflow(by: other)
        return isLarge ? Int.max : product
    }

    /// The sum, or `Int.max` on overflow. Neither number is negative.
    func addedSaturating(_ other: Int) -> Int {
        let (sum, isLarge) = addingReportingOverflow(other)
        return isLarge ? Int.max : sum
    }
}
