/// A word or a sign of a source in Objective-C or Swift, outside of comments and string literals.
struct SourceToken: Equatable {
    enum Kind: Equatable {
        case word
        case sign
        /// The header that `#import` or `#include` names.
        case header
    }

    var kind: Kind
    var text: String
    /// From 1 on.
    var line: Int
    /// Whether it is the first of its line.
    var isFirst: Bool

    func isSign(_ text: String) -> Bool { kind == .sign && self.text == text }
}

/// Splits a source into words and signs.
struct SourceTokenizer {
    private let bytes: [UInt8]
    private let isSwift: Bool
    private var index = 0
    private var line = 1
    private var lastLine = 0
    private var tokens: [SourceToken] = []

    static func tokens(_ bytes: [UInt8], isSwift: Bool) -> [SourceToken] {
        var tokenizer = SourceTokenizer(bytes: bytes, isSwift: isSwift)
        tokenizer.run()
        return tokenizer.tokens
    }

    private init(bytes: [UInt8], isSwift: Bool) {
        self.bytes = bytes
        self.isSwift = isSwift
    }

    private func byte(_ offset: Int = 0) -> UInt8 {
        index + offset < bytes.count ? bytes[index + offset] : 0
    }

    private func isNext(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard index + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { bytes[index + $0] == text.utf8Start[$0] }
    }

    private mutating func run() {
        while index < bytes.count {
            let next = byte()
            if next == UInt8(ascii: "\n") {
                step()
            } else if isNext("//") {
                skipLine()
            } else if isNext("/*") {
                skipComment()
            } else if next == UInt8(ascii: "\"") {
                skipText()
            } else if next == UInt8(ascii: "'"), !isSwift {
                skipQuoted(UInt8(ascii: "'"))
                add(.sign, "''")
            } else if Self.isLetter(next) {
                addWord()
            } else if !isSwift, isNext("#import") || isNext("#include") {
                addHeader()
            } else if !isSwift, isNext("#if") || isNext("#elif") || isNext("#pragma") {
                skipLine()
            } else {
                if next > 0x20, next < 0x7F { add(.sign, String(UnicodeScalar(next))) }
                index += 1
            }
        }
    }

    private mutating func step() {
        if byte() == UInt8(ascii: "\n") { line += 1 }
        index += 1
    }

    private mutating func add(_ kind: SourceToken.Kind, _ text: String) {
        tokens.append(
            SourceToken(kind: kind, text: text, line: line, isFirst: line != lastLine))
        lastLine = line
    }

    private mutating func skipLine() {
        while index < bytes.count, byte() != UInt8(ascii: "\n") { index += 1 }
    }

    /// Swift's comments nest.
    private mutating func skipComment() {
        var depth = 0
        while index < bytes.count {
            if isNext("/*"), isSwift || depth == 0 {
                depth += 1
                index += 2
            } else if isNext("*/") {
                depth -= 1
                index += 2
                if depth == 0 { return }
            } else {
                step()
            }
        }
    }

    private mutating func skipText() {
        let start = line
        if isSwift, isNext("\"\"\"") {
            index += 3
            while index < bytes.count, !isNext("\"\"\"") {
                if byte() == UInt8(ascii: "\\") { step() }
                step()
            }
            index += 3
        } else {
            skipQuoted(UInt8(ascii: "\""))
        }
        tokens.append(
            SourceToken(kind: .sign, text: "\"\"", line: start, isFirst: start != lastLine))
        lastLine = line
    }

    /// Skips a string literal, which ends with its line if it is not closed.
    private mutating func skipQuoted(_ quote: UInt8) {
        index += 1
        while index < bytes.count, byte() != quote, byte() != UInt8(ascii: "\n") {
            if byte() == UInt8(ascii: "\\") { step() }
            step()
        }
        if byte() == quote { index += 1 }
    }

    private mutating func addWord() {
        let start = index
        while Self.isLetter(byte()) || (byte() >= 0x30 && byte() <= 0x39) { index += 1 }
        add(.word, String(decoding: bytes[start..<index], as: UTF8.self))
    }

    private mutating func addHeader() {
        let start = index
        skipLine()
        let parts = bytes[start..<index].split { Set("\"<>".utf8).contains($0) }
        if parts.count > 1 { add(.header, String(decoding: parts[1], as: UTF8.self)) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return byte == UInt8(ascii: "_")
            || (lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z"))
    }
}
