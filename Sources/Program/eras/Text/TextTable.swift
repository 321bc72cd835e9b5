/// Pure: a table with a line under its headings.
struct TextTable {
    var headings: [String]
    /// The columns of numbers.
    var rightAligned: Set<Int> = []
    var rows: [[String]]

    var text: String {
        let widths = headings.indices.map { column in
            ([headings] + rows).map { $0[column].count }.max() ?? 0
        }
        let line = widths.map { String(repeating: "-", count: $0) }
        return ([headings, line] + rows).map { row in
            let cells = row.enumerated().map { column, cell in
                rightAligned.contains(column)
                    ? Padding.right(cell, widths[column])
                    : Padding.left(cell, widths[column])
            }
            return cells.joined(separator: "  ").trimmingSuffix(" ") + "\n"
        }.joined()
    }
}

extension String {
    fileprivate func trimmingSuffix(_ character: Character) -> String {
        var text = self
        while text.last == character { text.removeLast() }
        return text
    }
}

/// Pure: text in a column of a given width.
enum Padding {
    /// The text at the left edge; a text that is too wide is cut.
    static func left(_ text: String, _ width: Int) -> String {
        let kept = cut(text, width)
        return kept + String(repeating: " ", count: max(0, width - kept.count))
    }

    /// The text at the right edge; a text that is too wide stays whole.
    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// At most `width` characters; the last one is an ellipsis where something is missing.
    static func cut(_ text: String, _ width: Int) -> String {
        text.count <= width ? text : String(text.prefix(max(0, width - 1))) + "…"
    }
}
