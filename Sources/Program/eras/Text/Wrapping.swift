/// Text in lines of a given width.
enum Wrapping {
    /// The words in lines of at most `width` characters, the first after `lead`, the others below
    /// its end. A word that is wider stays whole.
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
