/// The words of a command, as a POSIX shell reads them.
package enum ShellWords {
    /// A word in single quotes, in which only the quote itself is special.
    package static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }

    /// A word in double quotes, with a backslash before each character that is special in them.
    ///
    /// An exclamation mark gets single quotes of its own, because in double quotes its backslash
    /// would remain.
    package static func doubleQuoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "!": quoted += "\"'!'\""
            case "\"", "\\", "$", "`": quoted += "\\\(scalar)"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// Bytes as text for the shell's `printf`: what a quoted word cannot contain.
    static func printed(_ bytes: some Sequence<UInt8>) -> String {
        var text = "printf '"
        for byte in bytes {
            switch byte {
            // A minus at the start would be an option.
            case UInt8(ascii: "-") where text.utf8.count == 8: text += "\\055"
            case UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "%"), 0..<0x20, 0x7F...:
                let digits = String(byte, radix: 8)
                text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
            default:
                text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text + "'"
    }

    /// The words of one command; quotes, backslashes, `$'…'` and continued lines are understood.
    ///
    /// - Throws: `CurlCommandError` where a quote is not closed, or the shell would do more than
    ///   split words: start another command, read a file, or expand a variable.
    static func split(_ command: String) throws(CurlCommandError) -> [[UInt8]] {
        var reader = ShellReader(bytes: Array(command.utf8))
        return try reader.read()
    }
}

private struct ShellReader {
    let bytes: [UInt8]
    var index = 0
    var words: [[UInt8]] = []
    var word: [UInt8]?

    private mutating func next() -> UInt8? {
        guard index < bytes.count else { return nil }
        defer { index += 1 }
        return bytes[index]
    }

    private mutating func append(_ byte: UInt8) {
        if word?.append(byte) == nil { word = [byte] }
    }

    private mutating func endWord() {
        if let word { words.append(word) }
        word = nil
    }

    mutating func read() throws(CurlCommandError) -> [[UInt8]] {
        while let byte = next() {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"): endWord()
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                endWord()
                // A line that is not continued ends the command; blank lines before it do not.
                if !words.isEmpty { try requireNothingMore() }
            case UInt8(ascii: "'"): try singleQuoted()
            case UInt8(ascii: "\""): try doubleQuoted()
            case UInt8(ascii: "\\"): escaped()
            case UInt8(ascii: "$"): try dollar()
            case UInt8(ascii: "#") where word == nil:
                while let byte = next(), byte != UInt8(ascii: "\n") {}
            case UInt8(ascii: "|") where words.first == Array("printf".utf8):
                endWord()
                words.append([byte])
            case _ where "|&;<>()`".utf8.contains(byte):
                throw CurlCommandError(.needsShell, String(UnicodeScalar(byte)))
            default: append(byte)
            }
        }
        endWord()
        return words
    }

    private mutating func requireNothingMore() throws(CurlCommandError) {
        while let byte = next() {
            guard " \t\r\n".utf8.contains(byte) else {
                throw CurlCommandError(.needsShell, "a second line")
            }
        }
    }

    private mutating func singleQuoted() throws(CurlCommandError) {
        word = word ?? []
        while let byte = next() {
            if byte == UInt8(ascii: "'") { return }
            append(byte)
        }
        throw CurlCommandError(.openQuote, "'")
    }

    private mutating func doubleQuoted() throws(CurlCommandError) {
        word = word ?? []
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"):
                guard let after = next() else { break }
                if after == UInt8(ascii: "\n") { continue }
                if !"\"\\$`".utf8.contains(after) { append(byte) }
                append(after)
            case UInt8(ascii: "$") where index < bytes.count && Self.beginsName(bytes[index]):
                throw CurlCommandError(.needsShell, "$")
            case UInt8(ascii: "`"): throw CurlCommandError(.needsShell, "`")
            default: append(byte)
            }
        }
        throw CurlCommandError(.openQuote, "\"")
    }

    private mutating func escaped() {
        guard let after = next() else { return }
        if after == UInt8(ascii: "\r"), index < bytes.count, bytes[index] == UInt8(ascii: "\n") {
            index += 1
        } else if after != UInt8(ascii: "\n") {
            append(after)
        }
    }

    /// `$'…'`, or a prompt that was copied with the command.
    private mutating func dollar() throws(CurlCommandError) {
        guard index < bytes.count else { return append(UInt8(ascii: "$")) }
        if bytes[index] == UInt8(ascii: "'") {
            index += 1
            return try ansiQuoted()
        }
        if word == nil, words.isEmpty, bytes[index] == UInt8(ascii: " ") { return }
        if Self.beginsName(bytes[index]) { throw CurlCommandError(.needsShell, "$") }
        append(UInt8(ascii: "$"))
    }

    private static func beginsName(_ byte: UInt8) -> Bool {
        "({_".utf8.contains(byte) || byte.isASCIILetter
    }

    private mutating func ansiQuoted() throws(CurlCommandError) {
        word = word ?? []
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "'"): return
            case UInt8(ascii: "\\"):
                var escape = ShellEscape(rest: bytes[index...])
                for byte in try escape.read() { append(byte) }
                index = escape.rest.startIndex
            default: append(byte)
            }
        }
        throw CurlCommandError(.openQuote, "$'")
    }
}

/// What follows a backslash in `$'…'`, and in the text of `printf`.
struct ShellEscape {
    var rest: ArraySlice<UInt8>

    private static let plain: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 10, UInt8(ascii: "t"): 9, UInt8(ascii: "r"): 13, UInt8(ascii: "a"): 7,
        UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "v"): 11, UInt8(ascii: "e"): 27,
    ]

    mutating func read() throws(CurlCommandError) -> [UInt8] {
        guard let first = rest.first else { return [UInt8(ascii: "\\")] }
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            return [UInt8(truncatingIfNeeded: number(radix: 8, atMost: 3))]
        case UInt8(ascii: "x"):
            rest.removeFirst()
            return [UInt8(truncatingIfNeeded: number(radix: 16, atMost: 2))]
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            rest.removeFirst()
            let value = number(radix: 16, atMost: first == UInt8(ascii: "u") ? 4 : 8)
            guard let scalar = UInt32(exactly: value).flatMap(Unicode.Scalar.init) else {
                throw CurlCommandError(.badEscape, "\\u")
            }
            return Array(String(Character(scalar)).utf8)
        default:
            rest.removeFirst()
            return [Self.plain[first] ?? first]
        }
    }

    private mutating func number(radix: Int, atMost count: Int) -> Int {
        var value = 0
        for _ in 0..<count {
            guard let digit = rest.first?.hexDigitValue, digit < radix else { break }
            value = value * radix + Int(digit)
            rest.removeFirst()
        }
        return value
    }
}
