/// A table with a line under its headings.
struct TextTable {
    var headings: [String]
    /// The columns of numbers.
    var rightAligned: Set<Int> = []
    var rows: [[String]]

    var text: String {
        let widths = headings.indices.map { column in
            ([headings] + rows).map { Padding.width(of: $0[column]) }.max() ?? 0
        }
        let line = widths.map { String(repeating: "-", count: $0) }
        return ([headings, line] + rows).map { row in
            let cells = row.enumerated().map { column, cell in
                rightAligned.contains(column)
                    ? Padding.right(cell, widths[column])
                    : Padding.left(cell, widths[column])
            }
            return Padding.trimmed(cells.joined(separator: "  ")) + "\n"
        }.joined()
    }
}

/// Text in a column of a given width.
enum Padding {
    /// The text at the left edge; a text that is too wide is cut.
    static func left(_ text: String, _ width: Int) -> String {
        let kept = cut(text, width)
        return kept + String(repeating: " ", count: max(0, width - self.width(of: kept)))
    }

    /// The text at the right edge; a text that is too wide stays whole.
    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - self.width(of: text))) + text
    }

    /// At most `width` columns; the last one is an ellipsis where something is missing.
    static func cut(_ text: String, _ width: Int) -> String {
        guard self.width(of: text) > width else { return text }
        var left = width - 1
        let kept = text.prefix { character in
            left -= columns(of: character)
            return left >= 0
        }
        return kept + "…"
    }

    /// The text without blanks at its end.
    static func trimmed(_ text: String) -> String {
        var text = text
        while text.last == " " { text.removeLast() }
        return text
    }

    /// The columns that a terminal uses for a text.
    static func width(of text: String) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    /// Two for the letters of Chinese, Japanese and Korean, and for pictures.
    private static func columns(of character: Character) -> Int {
        if character.isASCII { return 1 }
        let isWide = character.unicodeScalars.contains { scalar in
            scalar.properties.isEmojiPresentation
                || wide.contains { $0.contains(scalar.value) }
        }
        return isWide ? 2 : 1
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
    ]
}

/// Text in lines of a given width.
enum Wrapping {
    /// The words in lines of at most `width` characters, the first after `lead`, the others after
    /// `indent` blanks. A word that is wider stays whole.
    static func text(
        _ text: String, after lead: String = "", indent: Int, width: Int = 80
    ) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = lead
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = margin
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return (lines + [line]).joined(separator: "\n") + "\n"
    }
}
