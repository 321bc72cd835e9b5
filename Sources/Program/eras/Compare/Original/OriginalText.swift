import RecordedTraces

/// Formats recorded traces for 80 columns, with the original's events on the left and this
/// package's on the right.
struct OriginalText {
    let traces: [RecordedTrace]

    private static let threadWidth = 9
    private static let eventWidth = 29

    var text: String {
        traces.map(Self.text).joined(separator: "\n") + "\n" + Self.legend + "\n" + summary
    }

    /// A line for each trace.
    var list: String {
        let table = TextTable(
            headings: ["trace", "original", "verdict"],
            rows: traces.map { [$0.id, $0.original.rawValue, $0.port.verdict.rawValue] })
        return table.text + "\n" + summary
    }

    /// The number of traces, and of each verdict.
    var summary: String {
        let counts = PortTrace.Verdict.allCases.map { verdict in
            "\(traces.count { $0.port.verdict == verdict }) \(verdict.rawValue)"
        }
        return Wrapping.text(
            "\(Quantity.count(traces.count, "trace")): \(counts.joined(separator: ", ")).",
            indent: 0)
    }

    // MARK: A trace

    private static func text(_ trace: RecordedTrace) -> String {
        let heads = [trace.original.rawValue, "this package"].map { Padding.left($0, 37) }
        let rows = [heads.joined(separator: "   ")] + trace.rows.flatMap(lines)
        return "\(trace.id): \(trace.port.verdict.rawValue)\n"
            + Wrapping.text(trace.description, after: "  ", indent: 2)
            + rows.map { "  " + Padding.trimmed($0) + "\n" }.joined()
            + notes(trace).map { Wrapping.text($0, after: "  ", indent: 4) }.joined()
    }

    /// The notes below the rows.
    static func notes(_ trace: RecordedTrace) -> [String] {
        let reason =
            trace.port.reason.isEmpty
            ? [] : ["\(trace.port.statement): \(trace.port.reason)".replacing("`", with: "")]
        let note = trace.note.isEmpty ? [] : ["The recorder's note: \(trace.note)."]
        return reason + trace.port.states + note
    }

    private static func lines(_ row: TraceRow) -> [String] {
        let left = cell(row.original)
        let right = cell(row.port)
        return (0..<max(left.count, right.count)).map { index in
            let pieces = [left, right].map {
                Padding.left($0.indices.contains(index) ? $0[index] : "", 37)
            }
            return "\(pieces[0]) \(index == 0 ? row.mark.rawValue : " ") \(pieces[1])"
        }
    }

    /// The thread, and the event in one line or more.
    private static func cell(_ event: TraceEvent?) -> [String] {
        guard let event else { return [] }
        let width = eventWidth - 1
        var lines: [String] = []
        for word in event.text.split(separator: " ") {
            var word = word
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
                continue
            }
            while word.count > width {
                let piece = word.prefix(width)
                // Breaks after a punctuation mark, if there is one.
                let end = piece.lastIndex { "./_=".contains($0) }.map(piece.index(after:))
                lines.append(String(piece[..<(end ?? piece.endIndex)]))
                word = word[(end ?? piece.endIndex)...]
            }
            lines.append(String(word))
        }
        return lines.enumerated().map { index, line in
            Padding.left(index == 0 ? event.thread : "", threadWidth) + line
        }
    }

    // MARK: What the signs mean

    private static let marks: KeyValuePairs<TraceRow.Mark, String> = [
        .like: "the same except for a detail that Foundation decides: the code of a transfer that "
            + "failed, the underlying error, an order of parts",
        .moved: "the same event elsewhere in the order, or progress in pieces of another size: the "
            + "recordings differ in both as well; for a trace that differs deliberately, see the "
            + "reason below it",
        .different: "different, for the reason below the trace",
        .unseen: "cannot be observed here: the recorder replaced a method of the connection, or "
            + "the event is Foundation's own",
    ]

    private static let verdicts: KeyValuePairs<PortTrace.Verdict, String> = [
        .equal: "the same events on the same threads, in an order that the recording has",
        .deliberate: "a repair, or needed on Linux; the number is explained in the documentation",
        .foundation: "differs because the original ran on another Foundation",
    ]

    /// The signs, verdicts and threads, each with its meaning.
    static var meanings: [(word: String, meaning: String)] {
        marks.map { ($0.rawValue, $1) } + verdicts.map { ($0.rawValue, $1) }
            + TraceEvent.threads.map { ($0.0, $0.1) }
    }

    private static var legend: String {
        meanings.map { word, meaning in
            Wrapping.text(meaning, after: Padding.left(word, 11) + " ", indent: 12)
        }.joined()
    }
}
