import Foundation
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

/// A URL without its password, for output and files.
enum ShownURL {
    /// `http://me:secret@host/` becomes `http://me:***@host/`. The text need not be a URL.
    static func text(_ url: String) -> String {
        guard let slashes = url.range(of: "://") else { return url }
        let rest = url[slashes.upperBound...]
        let authority = rest[..<(rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex)]
        guard let at = authority.lastIndex(of: "@"),
            let colon = authority[..<at].firstIndex(of: ":")
        else { return url }
        return url[...colon] + "***" + url[at...]
    }
}
