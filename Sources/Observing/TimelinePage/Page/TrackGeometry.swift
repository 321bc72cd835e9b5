/// The height of a track, and the position of each mark in it.
struct TrackGeometry {
    private let kind: TimelineTrack.Kind
    private let rows: Int
    private let peakDepth: Int

    init(_ track: TimelineTrack) {
        kind = track.kind
        let spanRows = track.spans.map(\.row).max() ?? 0
        rows = max(spanRows, track.dots.map(\.row).max() ?? 0) + 1
        peakDepth = track.spans.filter { $0.kind == .lockHeld }.map(\.depth).max() ?? 0
    }

    var isStack: Bool { kind != .thread && kind != .queue }

    /// The distance between two rows of bars.
    private var pitch: Double {
        switch rows {
        case ...4: 11
        case ...12: 9
        case ...40: 6
        default: 4
        }
    }

    /// Whether a name is not higher than a row.
    var hasSpaceForLabels: Bool { !isStack || pitch >= 11 }

    /// The track's height, which is at least its label's.
    var height: Double {
        if isStack { return max(Double(rows) * pitch + 8, Self.least) }
        let steps = Double(min(peakDepth, Self.maximumDepth)) * Self.step
        return Self.least + (peakDepth == 0 ? 0 : steps + 4)
    }

    /// The top of the first row of bars. The rows are centred.
    private var top: Double { (height - Double(rows) * pitch) / 2 }

    // The layers of a thread's track, from the top: dots, calls, lock.
    private static let least = 34.0
    private static let dotLine = 8.0
    private static let callsTop = 15.0
    private static let callsHeight = 14.0
    private static let step = 4.0
    private static let maximumDepth = 5

    func path(of span: TimelineSpan, scale: Double) -> String {
        let (y, high) = extent(of: span)
        let left = HTMLText.coordinate(span.start * scale)
        let wide = HTMLText.coordinate(max(span.end - span.start, 0) * scale)
        let bar =
            "M\(left),\(HTMLText.coordinate(y))h\(wide)v\(HTMLText.coordinate(high))h-\(wide)z"
        guard span.waited * scale >= 1 else { return bar }
        return bar
            + "m0,\(HTMLText.coordinate(high / 2))h-\(HTMLText.coordinate(span.waited * scale))"
    }

    func path(of dot: TimelineDot, scale: Double) -> String {
        "M\(HTMLText.coordinate(dot.time * scale)),\(HTMLText.coordinate(middle(of: dot)))h0"
    }

    /// The distance of a dot from the track's top.
    func middle(of dot: TimelineDot) -> Double {
        isStack ? top + Double(dot.row) * pitch + pitch / 2 : Self.dotLine
    }

    /// The distance of a bar's middle from the track's top.
    func middle(of span: TimelineSpan) -> Double {
        let (top, high) = extent(of: span)
        return top + high / 2
    }

    /// Top and height.
    private func extent(of span: TimelineSpan) -> (Double, Double) {
        if isStack {
            let top = top + Double(span.row) * pitch
            let inset = max(pitch * 0.12, 0.5)
            let full = pitch - 2 * inset
            return switch span.kind {
            case .waiting, .serverConnection: (top + pitch / 2 - 0.5, 1)
            case .transfer: (top + inset + full * 0.28, full * 0.44)
            default: (top + inset, full)
            }
        }
        switch span.kind {
        case .asleep:
            return (Self.callsTop + Self.callsHeight / 2 - 0.5, 1)
        case .lockHeld:
            let high = Self.step * Double(min(max(span.depth, 1), Self.maximumDepth))
            return (height - 2 - high, high)
        case .lockWait:
            return (height - 2 - Self.step, Self.step)
        default:
            // Draws a nested call inside the outer one.
            let inset = Double(min(span.depth, 2)) * 2.5
            return (Self.callsTop + inset, Self.callsHeight - 2 * inset)
        }
    }
}
