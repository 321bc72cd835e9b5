/// Pure: the height of a lane, and the position of each mark in it.
struct LaneGeometry {
    private let kind: TimelineLane.Kind
    private let rows: Int
    private let peakDepth: Int

    init(_ lane: TimelineLane) {
        kind = lane.kind
        let spanRows = lane.spans.map(\.row).max() ?? 0
        rows = max(spanRows, lane.dots.map(\.row).max() ?? 0) + 1
        peakDepth = lane.spans.filter { $0.kind == .lockHeld }.map(\.depth).max() ?? 0
    }

    private var isStack: Bool { kind != .thread && kind != .queue }

    /// The distance between two lines of bars.
    private var pitch: Double {
        switch rows {
        case ...4: 11
        case ...12: 9
        case ...40: 6
        default: 4
        }
    }

    /// The lane's height, at least that of its name.
    var height: Double {
        if isStack { return max(Double(rows) * pitch + 8, Self.least) }
        let steps = Double(min(peakDepth, Self.maximumDepth)) * Self.step
        return Self.least + (peakDepth == 0 ? 0 : steps + 4)
    }

    /// The top of the first line of bars; the lines are centred.
    private var top: Double { (height - Double(rows) * pitch) / 2 }

    // A thread, from the top: dots, calls, lock.
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
        let y = isStack ? top + Double(dot.row) * pitch + pitch / 2 : Self.dotLine
        return "M\(HTMLText.coordinate(dot.time * scale)),\(HTMLText.coordinate(y))h0"
    }

    /// The middle of a bar, from the lane's top.
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
            // A call lies within the call that made it.
            let inset = Double(min(span.depth, 2)) * 2.5
            return (Self.callsTop + inset, Self.callsHeight - 2 * inset)
        }
    }
}
