/// How a stored picture must be turned for display, by EXIF's numbers.
public enum ImageOrientation: Int, Hashable, Sendable, CaseIterable {
    /// As it is stored.
    case up = 1
    /// Left and right exchanged.
    case upMirrored = 2
    /// Half a turn.
    case down = 3
    /// Top and bottom exchanged.
    case downMirrored = 4
    /// Rows become columns.
    case leftMirrored = 5
    /// A quarter turn clockwise.
    case right = 6
    /// Rows become columns, from the other end.
    case rightMirrored = 7
    /// A quarter turn counterclockwise.
    case left = 8

    var isOnItsSide: Bool { rawValue >= 5 }

    package func size(of stored: PixelSize) -> PixelSize { isOnItsSide ? stored.turned : stored }

    /// The position of a stored row's first pixel, and the distance from there to the next pixel's
    /// position, both counted in pixels of the turned picture.
    package func path(of row: Int, in stored: PixelSize) -> (start: Int, step: Int) {
        let (width, height) = (stored.width, stored.height)
        return switch self {
        case .up: (row * width, 1)
        case .upMirrored: (row * width + width - 1, -1)
        case .down: ((height - 1 - row) * width + width - 1, -1)
        case .downMirrored: ((height - 1 - row) * width, 1)
        case .leftMirrored: (row, height)
        case .right: (height - 1 - row, height)
        case .rightMirrored: ((width - 1) * height + height - 1 - row, -height)
        case .left: ((width - 1) * height + row, -height)
        }
    }
}
