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
