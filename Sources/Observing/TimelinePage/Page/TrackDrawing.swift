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
    private let isLabelled: Bool

    /// - Parameters:
    ///   - track: a track that `MarkReduction` has reduced.
    ///   - isLabelled: whether marks have names beside them. Those of locks have in any case.
    init(
        _ track: TimelineTrack, duration: Double, ticks: [Double], isLabelled: Bool = false,
        _ words: PageWords
    ) {
        self.isLabelled = isLabelled
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

    /// The names beside the marks, as HTML.
    var labels: String {
        let geometry = TrackGeometry(track)
        guard track.kind == .lock || (isLabelled && geometry.hasSpaceForLabels) else { return "" }
        let spans = geometry.isStack ? track.spans.filter { !Self.lines.contains($0.kind) } : []
        let bars = spans.map { span in
            MarkLabels.Mark(
                start: span.start, end: span.end, isDot: false,
                middle: geometry.middle(of: span),
                name: Self.unnamed.contains(span.kind) ? "" : words.name(span.name),
                isDark: span.kind == .lockWait)
        }
        let dots = track.dots.map { dot in
            MarkLabels.Mark(
                start: dot.time, end: dot.time, isDot: true, middle: geometry.middle(of: dot),
                name: Self.named.contains(dot.kind) ? words.name(dot.name) : "")
        }
        return MarkLabels(bars + dots, duration: duration).html
    }

    /// Bars that are drawn as a thin line, which a name may cover.
    private static let lines: Set<TimelineSpan.Kind> = [.serverConnection, .waiting]
    private static let unnamed: Set<TimelineSpan.Kind> = [
        .connecting, .handshake, .paused, .transfer, .socket,
    ]
    private static let named: Set<TimelineDot.Kind> = [
        .callback, .failure, .progress, .cancelled, .mode, .note,
    ]

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

/// A bar or a dot with its path in the SVG and its row of the table.
struct TrackMark {
    var start: Double
    var end: Double
    var isDot: Bool
    /// The class in the style sheet.
    var style: String
    /// Whether no end was recorded.
    var isOpen = false
    /// Whether a line before the bar shows how long it waited.
    var hasWait = false
    var path: String
    /// The row of the track's table.
    var line: String

    init(_ span: TimelineSpan, path: String, _ words: PageWords) {
        start = span.start
        end = span.end
        isDot = false
        style = Self.style(of: span.kind)
        isOpen = span.isUnfinished
        hasWait = path.contains("zm")
        self.path = path
        line = Self.line(
            span.start, span.end, kind: words(span.kind.rawValue), count: span.count,
            what: [
                words.name(span.name), words.name(span.detail),
                span.waited > 0
                    ? words.name("waited \(HTMLText.milliseconds(span.waited)) ms") : "",
                span.isUnfinished ? words("no end when the recording stopped") : "",
            ], whose: words.name(span.subject))
    }

    init(_ dot: TimelineDot, path: String, _ words: PageWords) {
        start = dot.time
        end = dot.time
        isDot = true
        style = Self.style(of: dot.kind)
        self.path = path
        let bytes = dot.bytes == 0 ? "" : HTMLText.grouped(dot.bytes) + " bytes"
        line = Self.line(
            dot.time, nil, kind: words(dot.kind.rawValue), count: dot.count,
            what: [words.name(dot.name), bytes, dot.detail], whose: words.name(dot.subject))
    }

    var html: String {
        "<path class=\(isOpen ? "\"\(style) open\"" : style) d=\(path) />"
    }

    /// The signs that the legend must explain.
    var signs: Set<Legend.Sign> {
        var signs: Set<Legend.Sign> = [Legend.Sign(style)]
        if isOpen { signs.insert(.open) }
        if hasWait { signs.insert(.wait) }
        return signs
    }

    private static func line(
        _ start: Double, _ end: Double?, kind: String, count: Int, what: [String], whose: String
    ) -> String {
        let times = count > 1 ? "\(count) × " : ""
        let what = what.filter { !$0.isEmpty }.joined(separator: "; ")
        let line =
            "<tr><td>\(HTMLText.exact(start))<td>\(end.map(HTMLText.exact) ?? "")"
            + "<td>\(times)\(kind)<td>\(HTMLText.escaped(what))"
        return line + (whose.isEmpty ? "\n" : "<td>\(HTMLText.escaped(whose))\n")
    }

    static func style(of kind: TimelineSpan.Kind) -> String {
        switch kind {
        case .asleep: "as"
        case .computing: "cp"
        case .block: "bl"
        case .delegateCall: "de"
        case .callback: "cb"
        case .serialization: "se"
        case .lockHeld: "lo"
        case .lockWait: "lw"
        case .waiting: "wa"
        case .operation, .task, .request: "op"
        case .paused: "pa"
        case .transfer: "tr"
        case .socket: "so"
        case .connecting: "co"
        case .handshake: "ha"
        case .serverConnection: "sc"
        case .serverExchange: "sx"
        }
    }

    static func style(of kind: TimelineDot.Kind) -> String {
        switch kind {
        case .callback: "c"
        case .failure: "f"
        case .progress: "p"
        case .cancelled: "x"
        case .submitted: "s"
        case .enqueued: "q"
        case .mode: "m"
        case .head: "h"
        case .received: "d"
        case .sent: "u"
        case .note: "n"
        }
    }
}
