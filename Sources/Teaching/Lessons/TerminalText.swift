/// Formats Markdown for a terminal. Prose is wrapped; a line of code that is too wide is broken at a
/// space, and indented further.
///
/// Asterisks of emphasis are left out, a Chinese character is as wide as two letters, and a quotation
/// has a bar at its left.
package struct TerminalText {
    private let columns: Int
    private var lines: [String] = []
    /// The paragraph that is being read, and the indentation of its second and later lines.
    private var paragraph = ""
    private var indent = 0
    private var isQuoted = false
    private var bar: String { isQuoted ? "│ " : "" }

    /// - Parameter columns: the terminal's width; only what has no space may be wider.
    package static func lines(of markdown: String, columns: Int) -> [String] {
        var text = TerminalText(columns: max(20, columns))
        var isCode = false
        for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                text.endParagraph()
                isCode.toggle()
            } else if isCode {
                text.addCode(line.isEmpty ? "" : "    " + line)
            } else {
                text.read(line)
            }
        }
        text.endParagraph()
        while text.lines.last?.isEmpty == true { text.lines.removeLast() }
        return text.lines
    }

    private init(columns: Int) {
        self.columns = columns
    }

    private mutating func read(_ line: Substring) {
        if line.hasPrefix(">") != isQuoted {
            endParagraph()
            isQuoted.toggle()
        }
        let words = isQuoted ? line.dropFirst().drop { $0 == " " } : line
        if words.isEmpty {
            endParagraph()
            addGap()
        } else if !words.hasPrefix("<!--") {
            add(words)
        }
    }

    private mutating func addCode(_ line: String) {
        let margin = line.prefix { $0 == " " }.count + 8
        var rest = Substring(line)
        while rest.count > columns {
            let start = rest.dropFirst(rest.prefix { $0 == " " }.count).startIndex
            let limit = rest.index(rest.startIndex, offsetBy: columns)
            let last = start < limit ? rest[start...limit].lastIndex(of: " ") : nil
            guard let end = last ?? rest[limit...].firstIndex(of: " ") else { break }
            lines.append(String(rest[..<end]))
            let next = rest[rest.index(after: end)...]
            // A long word is indented less, so that it stays whole.
            let room = columns - next.prefix { $0 != " " }.count
            rest = String(repeating: " ", count: max(0, min(margin, room))) + next
        }
        lines.append(String(rest))
    }

    private mutating func addGap() {
        let gap = isQuoted ? "│" : ""
        if let last = lines.last, last != gap { lines.append(gap) }
    }

    private mutating func add(_ line: Substring) {
        if let item = line.prefixMatch(of: #/(?:[0-9]+\.|-) /#) {
            endParagraph()
            indent = item.0.count
            paragraph = String(line)
        } else if let before = paragraph.unicodeScalars.last, let after = line.unicodeScalars.first
        {
            let areBothWide = Self.isWide(before) && Self.isWide(after)
            paragraph += (areBothWide ? "" : " ") + line
        } else {
            paragraph = String(line)
        }
    }

    private mutating func endParagraph() {
        var line = ""
        var width = 0
        for word in Self.words(paragraph.replacing("*", with: "")) {
            let wordWidth = word.unicodeScalars.reduce(0) { $0 + (Self.isWide($1) ? 2 : 1) }
            let isBlank = word == " "
            if width + wordWidth > columns - bar.count, width > indent {
                while line.last == " " { line.removeLast() }
                lines.append(bar + line)
                (line, width) = (String(repeating: " ", count: indent), indent)
            }
            // Leaves out the space at which the line was broken.
            if isBlank, width == indent, !lines.isEmpty { continue }
            line += word
            width += wordWidth
        }
        if line.contains(where: { $0 != " " }) { lines.append(bar + line) }
        (paragraph, indent) = ("", 0)
    }

    /// Splits text where a line may be broken: into words, spaces, and Chinese characters, each with
    /// the punctuation that follows it.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        for character in text {
            let isSign = "，。：；？！、）”’".contains(character)
            let last = words.last.flatMap(\.last)
            let joins = last.map { last in
                isSign || last == "（" || last == "“"
                    || !(last == " " || character == " " || isWide(last) || isWide(character))
            }
            if joins == true {
                words[words.count - 1].append(character)
            } else {
                words.append(String(character))
            }
        }
        return words
    }

    private static func isWide(_ character: Character) -> Bool {
        character.unicodeScalars.first.map(isWide) == true
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        0x2E80...0xFFEF ~= scalar.value
    }
}
