import HTTPSemantics

/// Pure: text of others, made harmless for a terminal.
enum PrintableText {
    /// One line: blanks in place of line ends and tabs, and question marks in place of what moves the cursor or turns
    /// the order of letters. What joins letters stays.
    static func line(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for character in text {
            if character.isNewline || character == "\t" {
                line.append(" ")
                continue
            }
            for scalar in character.unicodeScalars {
                line.append(scalar.actsOnTerminal ? "?" : scalar)
            }
        }
        return String(line)
    }
}
