/// Draws one track as a strip of SVG, and as a table with one row for each mark of the strip.
///
/// The strip is 1000 units wide and is stretched to the window, which would distort corners and
/// circles. So bars are paths, and dots are lines of no length with round ends.
/// The n-th mark is the n-th row of the table, from which the page's script reads the mark's text.
struct TrackDrawing {
    /// The axis's length in units of the SVG.
    static let width = 1000.0

    private let track: TimelineTrack
    private let words: PageWords
    private let duration: Double
    private let marks: [TrackMark]
    private let height: Double
    /// The axis's ticks, in milliseconds.
    private let ticks: [Double]

    /// - Parameter track: a track that `MarkReduction` has reduced.
    init(_ track: TimelineTrack, duration: Double, ticks: [Double], _ words: PageWords) {
        self.track = track
        self.words = words
        self.duration = duration
        self.ticks = ticks
        let geometry = TrackGeometry(track)
        height = geometry.height
        let spans = track.spans.map { span in
            TrackMark(span, path: geometry.path(of: span, scale: Self.width / duration), words)
        }
        let dots = track.dots.map { dot in
            TrackMark(dot, path: geometry.path(of: dot, scale: Self.width / duration), words)
        }
        // Draws outer bars before inner ones, and bars before their dots.
        marks = (spans + dots).enumerated().sorted { first, second in
            let (a, b) = (first.element, second.element)
            return (a.start, a.isDot ? 1 : 0, -a.end, first.offset)
                < (b.start, b.isDot ? 1 : 0, -b.end, second.offset)
        }.map(\.element)
    }

    var count: Int { marks.count }

    /// The signs that the legend must explain.
    var signs: Set<Legend.Sign> {
        marks.reduce(into: []) { $0.formUnion($1.signs) }
    }

    // MARK: Strip

    /// - Parameters:
    ///   - label: the text for screen readers.
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

    /// The names of the threads that own a lock or wait for it, above their bars.
    var labels: String {
        guard track.kind == .lock else { return "" }
        // A short bar has no space for a name; the table has it.
        return track.spans.filter { $0.end - $0.start > duration / 20 }.map { span in
            let left = HTMLText.coordinate(span.start / duration * 100)
            let top = HTMLText.coordinate(TrackGeometry(track).middle(of: span))
            return "<span class=\"who\(span.kind == .lockWait ? " wants" : "")\" "
                + "style=\"left:\(left)%;top:\(top)px\">"
                + HTMLText.escaped(words.name(span.name)) + "</span>"
        }.joined()
    }

    /// The track as a table.
    var table: String {
        var html = """
            <table class=marks><caption>\(HTMLText.escaped(words.name(track.name))) \
            <span>\(HTMLText.escaped(words.name(track.detail)))</span></caption>
            <thead><tr>\(heads)</thead><tbody>

            """
        for mark in marks { html += mark.line }
        return html + "</table>\n"
    }
}
