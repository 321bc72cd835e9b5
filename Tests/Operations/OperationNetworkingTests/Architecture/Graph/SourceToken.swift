/// A word or a mark of Swift source.
///
/// Comments and the characters of a text are no tokens. What is interpolated into a text is.
struct SourceToken: Equatable, Sendable {
    var text: String
    /// The first line is 1.
    var line: Int
    var isWord: Bool
    /// Whether a blank, a comment or a new line stands before it.
    var isSpaced: Bool

    /// Every token of a source in order.
    static func all(in text: String) -> [SourceToken] {
        var lexer = Lexer(bytes: Array(text.utf8))
        lexer.readCode(isInterpolation: false)
        return lexer.tokens
    }
}

private struct Lexer {
    let bytes: [UInt8]
    var tokens: [SourceToken] = []
    private var index = 0
    private var line = 1
    private var isSpaced = true

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private func byte(_ offset: Int = 0) -> UInt8 {
        index + offset < bytes.count ? bytes[index + offset] : 0
    }

    /// Reads to the end, or behind the parenthesis that closes an interpolation.
    mutating func readCode(isInterpolation: Bool) {
        var depth = 0
        while index < bytes.count {
            let next = byte()
            switch next {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                skip()
                isSpaced = true
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"):
                while index < bytes.count, byte() != UInt8(ascii: "\n") { index += 1 }
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
                skipBlockComment()
            case UInt8(ascii: "\""), UInt8(ascii: "#"):
                readTextOrMark()
            case _ where Self.isWordByte(next):
                let start = index
                while Self.isWordByte(byte()) { index += 1 }
                add(String(decoding: bytes[start..<index], as: UTF8.self), isWord: true)
            default:
                index += 1
                // `default` is a word like any other for this purpose.
                if next == UInt8(ascii: "`") { continue }
                add(String(UnicodeScalar(next)), isWord: false)
                if next == UInt8(ascii: "(") { depth += 1 }
                if next == UInt8(ascii: ")") {
                    depth -= 1
                    if isInterpolation, depth == 0 { return }
                }
            }
        }
    }

    private mutating func add(_ text: String, isWord: Bool) {
        tokens.append(SourceToken(text: text, line: line, isWord: isWord, isSpaced: isSpaced))
        isSpaced = false
    }

    private mutating func skip() {
        if byte() == UInt8(ascii: "\n") { line += 1 }
        index += 1
    }

    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if byte() == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
                depth += 1
                index += 2
            } else if byte() == UInt8(ascii: "*"), byte(1) == UInt8(ascii: "/") {
                depth -= 1
                index += 2
            } else {
                skip()
            }
        } while depth > 0 && index < bytes.count
        isSpaced = true
    }

    /// A text becomes one mark, followed by its interpolations in parentheses.
    private mutating func readTextOrMark() {
        var hashes = 0
        while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
        guard byte(hashes) == UInt8(ascii: "\"") else {
            index += 1
            add("#", isWord: false)
            return
        }
        index += hashes
        let quotes = byte(1) == UInt8(ascii: "\"") && byte(2) == UInt8(ascii: "\"") ? 3 : 1
        index += quotes
        add("\"", isWord: false)
        while index < bytes.count {
            if byte() == UInt8(ascii: "\\"), isEscape(hashes) {
                index += 1 + hashes
                if byte() == UInt8(ascii: "(") {
                    readCode(isInterpolation: true)
                } else {
                    skip()
                }
            } else if isEnd(quotes, hashes) {
                index += quotes + hashes
                return
            } else {
                skip()
            }
        }
    }

    private func isEscape(_ hashes: Int) -> Bool {
        (0..<hashes).allSatisfy { byte(1 + $0) == UInt8(ascii: "#") }
    }

    private func isEnd(_ quotes: Int, _ hashes: Int) -> Bool {
        (0..<quotes).allSatisfy { byte($0) == UInt8(ascii: "\"") }
            && (0..<hashes).allSatisfy { byte(quotes + $0) == UInt8(ascii: "#") }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}
