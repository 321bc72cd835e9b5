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
