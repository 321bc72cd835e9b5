import HTTPSemantics

/// Makes text from elsewhere harmless for a terminal.
enum PrintableText {
    /// One line, with blanks for line ends and tabs, and question marks for control characters and those
    /// that change the direction of text. Joiners are kept.
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
