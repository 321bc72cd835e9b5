/// Swift source without its comments and without what stands in its texts, apart from what is
/// interpolated there.
struct SourceText: Sendable {
    struct Word: Sendable {
        var text: String
        /// The first line is 1.
        var line: Int
        /// How far its line is indented.
        var indent: Int
        /// What stands at once before and behind it; a blank where a line begins or ends.
        var before: Character
        var after: Character
    }

    /// A type, function, value or case.
    struct Declaration: Sendable {
        var keyword: String
        var name: String
        var line: Int
        var indent: Int
        /// The type or extension that begins at the margin above it; none at the margin itself.
        var owner: String?
        var isInExtension: Bool
        var isPrivate: Bool

        var isType: Bool { SourceText.types.contains(keyword) }
    }

    private static let types: Set = ["class", "struct", "enum", "protocol", "actor", "typealias"]
    private static let members: Set = ["func", "var", "let", "case"]

    /// The source line for line, with blanks in place of what is left out.
    let code: [String]
    let words: [Word]
    let declarations: [Declaration]

    init(_ text: String) {
        var scanner = SourceScanner(bytes: Array(text.utf8))
        scanner.readCode(isInterpolation: false)
        code = String(decoding: scanner.bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        words = code.enumerated().flatMap { Self.words(in: $1, number: $0 + 1) }
        declarations = Self.declarations(in: words)
    }

    private static func words(in line: String, number: Int) -> [Word] {
        let bytes = Array(line.utf8)
        let indent = bytes.prefix { $0 == UInt8(ascii: " ") }.count
        func character(_ index: Int) -> Character {
            bytes.indices.contains(index) ? Character(UnicodeScalar(bytes[index])) : " "
        }
        var words: [Word] = []
        var start: Int?
        for index in 0...bytes.count {
            if index < bytes.count, isWord(bytes[index]) {
                start = start ?? index
            } else if let begin = start {
                words.append(
                    Word(
                        text: String(decoding: bytes[begin..<index], as: UTF8.self), line: number,
                        indent: indent, before: character(begin - 1), after: character(index)))
                start = nil
            }
        }
        return words
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }

    private static func declarations(in words: [Word]) -> [Declaration] {
        var result: [Declaration] = []
        var owner = (name: "", isExtension: false, isPrivate: false)
        for (index, (word, next)) in zip(words, words.dropFirst()).enumerated() {
            let isType = types.contains(word.text)
            let isExtension = word.text == "extension"
            // `class func` is a function, and `of type: class` no declaration.
            guard isType || isExtension || members.contains(word.text), word.before == " ",
                word.after == " ", word.line == next.line, !members.contains(next.text)
            else { continue }
            let isPrivate = words[..<index].reversed().prefix { $0.line == word.line }
                .contains { ["private", "fileprivate"].contains($0.text) }
            if word.indent == 0, isType || isExtension {
                owner = (next.text, isExtension, isPrivate)
            }
            if isExtension { continue }
            let isInside = word.indent > 0
            result.append(
                Declaration(
                    keyword: word.text, name: next.text, line: word.line, indent: word.indent,
                    owner: isInside ? owner.name : nil,
                    isInExtension: isInside && owner.isExtension,
                    isPrivate: isPrivate || isInside && owner.isPrivate))
        }
        return result
    }

    // MARK: Functions by name

    /// Whether a function is declared here: `name`, or `name(label:_:)`, whose labels count.
    func declares(_ function: Substring) -> Bool {
        names(function) { $0 > 0 && words[$0 - 1].text == "func" }
    }

    /// Whether a function is called or named here.
    func uses(_ function: Substring) -> Bool {
        names(function) { $0 == 0 || !Self.members.contains(words[$0 - 1].text) }
    }

    private func names(_ function: Substring, _ fits: (Int) -> Bool) -> Bool {
        let parts = function.split(separator: "(", maxSplits: 1)
        let labels = parts.count == 2 ? parts[1].dropLast().split(separator: ":") : []
        return words.indices.contains { index in
            guard words[index].text == parts[0], fits(index) else { return false }
            // The labels follow in their order before the next function begins.
            var rest = words[(index + 1)...].prefix { $0.text != "func" }
            return labels.allSatisfy { label in
                guard label != "_" else { return true }
                let place = rest.firstIndex { $0.text == label }
                rest = rest[(place.map { $0 + 1 } ?? rest.endIndex)...]
                return place != nil
            }
        }
    }
}

/// Puts blanks over comments and texts.
private struct SourceScanner {
    var bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private func isNext(_ text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

    private mutating func blank(_ count: Int = 1) {
        for _ in 0..<min(count, bytes.count - index) {
            if bytes[index] != UInt8(ascii: "\n") { bytes[index] = UInt8(ascii: " ") }
            index += 1
        }
    }

    /// Reads to the end, or behind the parenthesis that closes an interpolation.
    mutating func readCode(isInterpolation: Bool) {
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "/") where isNext("//"):
                while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { blank() }
            case UInt8(ascii: "/") where isNext("/*"):
                blankBlock()
            case UInt8(ascii: "\""), UInt8(ascii: "#"):
                blankText()
            default:
                if bytes[index] == UInt8(ascii: "(") { depth += 1 }
                if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
                index += 1
                if isInterpolation, depth == 0 { return }
            }
        }
    }

    private mutating func blankBlock() {
        var depth = 0
        repeat {
            let opens = isNext("/*")
            let closes = isNext("*/")
            depth += opens ? 1 : closes ? -1 : 0
            blank(opens || closes ? 2 : 1)
        } while depth > 0 && index < bytes.count
    }

    private mutating func blankText() {
        let hashes = bytes[index...].prefix { $0 == UInt8(ascii: "#") }
        let quotes = bytes[(index + hashes.count)...].prefix { $0 == UInt8(ascii: "\"") }
        guard !quotes.isEmpty else { return index += hashes.count }
        let mark = quotes.prefix(quotes.count < 3 ? 1 : 3)
        let escape = [UInt8(ascii: "\\")] + hashes
        index += hashes.count + mark.count
        while index < bytes.count, !bytes[index...].starts(with: mark + hashes) {
            let isEscape = bytes[index...].starts(with: escape)
            blank(isEscape ? escape.count : 1)
            if isEscape, isNext("(") {
                readCode(isInterpolation: true)
            } else if isEscape {
                blank()
            }
        }
        index += mark.count + hashes.count
    }
}
