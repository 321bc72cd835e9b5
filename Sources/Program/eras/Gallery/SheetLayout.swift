import NetworkImages

/// Pure: where the tiles of a contact sheet lie.
///
/// A tile is a square for the image, with two lines of text under it.
struct SheetLayout: Equatable, Sendable {
    /// The most pixels of a sheet: drawing and writing it takes about twelve bytes for each.
    static let maximumPixels = 40_000_000
    /// The longest side that decoders take by their default limits.
    static let maximumSide = ImageLimits().maximumSide

    static let margin = 24
    static let gap = 20
    /// From a square's edge to an image that fills it.
    static let inset = 8
    /// From a square's lower edge to the first line of text.
    static let textGap = 8
    /// Pixels for the sheet's heading.
    static let heading = 44
    static let nameFont = StrokeFont(unit: 1.3)
    static let detailFont = StrokeFont(unit: 1.1)
    static let headingFont = StrokeFont(unit: 1.8)

    /// Tiles.
    let count: Int
    let columns: Int
    /// Of a tile's square, in pixels.
    let side: Int

    /// - Parameter columns: nil for a sheet about as wide as it is high.
    init(count: Int, side: Int, columns: Int? = nil) {
        self.count = count
        self.side = side
        let height = Double(side + Self.caption + Self.gap) / Double(side + Self.gap)
        let most = max(count, 1)
        let even = Int((Double(most) * height).squareRoot().rounded(.up))
        // As few columns as need no further row, so that the last one is nearly full.
        let rows = (most + even - 1) / even
        self.columns = min(columns ?? (most + rows - 1) / rows, most)
    }

    /// The most pixels of an image's side.
    var imageSide: Int { side - Self.inset * 2 }

    /// The height of both lines of text and of the gap over them.
    static var caption: Int { textGap + nameFont.lineHeight + detailFont.height }

    private var rows: Int { (count + columns - 1) / columns }

    var size: PixelSize {
        PixelSize(
            width: Self.margin * 2 + columns * (side + Self.gap) - Self.gap,
            height: Self.margin * 2 + Self.heading + rows * (side + Self.caption + Self.gap)
                - Self.gap)
    }

    /// Whether the sheet is no larger than its limits.
    var isDrawable: Bool {
        size.width <= Self.maximumSide && size.height <= Self.maximumSide
            && size.width * size.height <= Self.maximumPixels
    }

    /// The square of a tile.
    func square(_ index: Int) -> Box {
        Box(
            x: Self.margin + index % columns * (side + Self.gap),
            y: Self.margin + Self.heading + index / columns * (side + Self.caption + Self.gap),
            width: side, height: side)
    }
}
