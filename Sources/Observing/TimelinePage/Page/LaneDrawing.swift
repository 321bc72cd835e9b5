/// Pure: one lane as a strip of SVG, and as a table with one line for each mark of the strip.
///
/// The strip is 1000 units wide and is stretched to the window, which would distort corners and
/// circles. So bars are paths, and dots are lines of no length with round ends.
/// The n-th mark is the n-th line of the table, from which the page's script reads its text.
struct LaneDrawing {
    /// Units from the left edge to the end of the axis.
    static let width = 1000.0

    private let lane: TimelineLane
    private let words: PageWords
    private let duration: Double
    private let marks: [LaneMark]
    private let height: Double
    /// The axis's ticks, in milliseconds.
    private let ticks: [Double]

    /// - Parameter lane: a lane that `MarkReduction` has reduced.
    init(_ lane: TimelineLane, duration: Double, ticks: [Double], _ words: PageWords) {
        self.lane = lane
        self.words = words
        self.duration = duration
        self.ticks = ticks
        let geometry = LaneGeometry(lane)
        height = geometry.height
        let spans = lane.spans.map { span in
            LaneMark(span, path: geometry.path(of: span, scale: Self.width / duration), words)
        }
        let dots = lane.dots.map { dot in
            LaneMark(dot, path: geometry.path(of: dot, scale: Self.width / duration), words)
        }
        // Outer bars before inner ones, and bars before their dots.
        marks = (spans + dots).enumerated().sorted { first, second in
            let (a, b) = (first.element, second.element)
            return (a.start, a.isDot ? 1 : 0, -a.end, first.offset)
                < (b.start, b.isDot ? 1 : 0, -b.end, second.offset)
        }.map(\.element)
    }

    var count: Int { marks.count }

    /// What the legend must explain.
    var signs: Set<Legend.Sign> {
        marks.reduce(into: []) { $0.formUnion($1.signs) }
    }

    // MARK: Strip

    /// - Parameters:
    ///   - label: what a screen reader says.
    ///   - end: when the era ended, in milliseconds.
    func strip(label: String, end: Double?) -> String {
        let high = HTMLText.coordinate(height)
        var html = """
            <svg class=plot role=img tabindex=0 aria-label="\(HTMLText.escaped(label))" \
            viewBox="0 0 1000 \(high)" height=\(high) preserveAspectRatio=none>
            """
        let grid = ticks.map { "M\(x($0)),0v\(high)" }.joined()
        html += "<line class=base x1=0 x2=1000 y1=\(high) y2=\(high) /><g class=grid>"
        html += "<path d=\(grid) />"
        if let end { html += "<path class=end d=M\(x(end)),0v\(high) />" }
        html += "</g>"
        for mark in marks { html += mark.html }
        return html + "</svg>\n"
    }

    private func x(_ time: Double) -> String {
        HTMLText.coordinate(time * Self.width / duration)
    }

    // MARK: Table

    private var heads: String {
        ["from, ms", "to, ms", "kind", "what", "whose"].map { "<th scope=col>" + words.html($0) }
            .joined()
    }

    /// The names of those that hold a lock or wait for it, over their bars.
    var labels: String {
        guard lane.kind == .lock else { return "" }
        // A short bar has no room for a name; the table has it.
        return lane.spans.filter { $0.end - $0.start > duration / 20 }.map { span in
            let left = HTMLText.coordinate(span.start / duration * 100)
            let top = HTMLText.coordinate(LaneGeometry(lane).middle(of: span))
            return "<span class=\"who\(span.kind == .lockWait ? " wants" : "")\" "
                + "style=\"left:\(left)%;top:\(top)px\">"
                + HTMLText.escaped(words.name(span.name)) + "</span>"
        }.joined()
    }

    /// The lane as a table.
    var table: String {
        var html = """
            <table class=marks><caption>\(HTMLText.escaped(words.name(lane.name))) \
            <span>\(HTMLText.escaped(words.name(lane.detail)))</span></caption>
            <thead><tr>\(heads)</thead><tbody>

            """
        for mark in marks { html += mark.line }
        return html + "</table>\n"
    }
}
