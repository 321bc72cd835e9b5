/// Values of header fields: lists (RFC 9110 section 5.6.1) and numbers.
package enum FieldValue {
    package static func number(_ digits: Substring) -> Int64? {
        var digits = digits
        return digits.withUTF8 { number(UnsafeRawBufferPointer($0)) }
    }

    /// A number of digits alone; nil for no digit, any other byte, and a number that is too large.
    package static func number(_ digits: UnsafeRawBufferPointer) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var number: Int64 = 0
        for digit in digits {
            guard digit.isASCIIDigit else { return nil }
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isLarger) = tens.addingReportingOverflow(Int64(digit & 0x0F))
            if isTooLarge || isLarger { return nil }
            number = sum
        }
        return number
    }

    /// A number of digits alone, at most `Int.max`; nil for any other text.
    static func clampedNumber(_ digits: Substring) -> Int? {
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int(digits) ?? .max
    }

    /// Splits at commas outside quoted strings; empty members are left out.
    ///
    /// A quotation mark that is never closed quotes nothing, so that it cannot hide a directive.
    /// Bytes are compared: to Swift a comma and a combining mark after it are one character.
    package static func members(of value: String) -> [String] {
        cut(value.utf8, quoting: true) ?? cut(value.utf8, quoting: false) ?? []
    }

    private static func cut(_ bytes: String.UTF8View, quoting: Bool) -> [String]? {
        var parts: [String] = []
        var start = bytes.startIndex
        var isQuoted = false
        var isEscaped = false
        func take(_ part: Substring.UTF8View) {
            let member = trimmed(part)
            if !member.isEmpty { parts.append(member) }
        }
        for index in bytes.indices {
            switch bytes[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\"") where quoting: isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                take(bytes[start..<index])
                start = bytes.index(after: index)
            default: break
            }
        }
        guard !isQuoted else { return nil }
        take(bytes[start...])
        return parts
    }

    @inlinable @inline(__always)
    package static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// Without the blanks and tabs at both ends.
    package static func trimmed(_ bytes: Substring.UTF8View) -> String {
        var rest = bytes.drop(while: isBlank)
        while let last = rest.last, isBlank(last) {
            rest = rest.dropLast()
        }
        return String(Substring(rest))
    }
}

extension HeaderFields {
    /// Longer lists, in bytes, are an attack on the parser.
    static let longestList = 65_536

    /// Whether a list field is longer than the limit, all its lines together.
    func isListTooLong(_ name: String) -> Bool {
        byteCount(of: name) > Self.longestList
    }

    /// The bytes of a field over all its lines, and two for what joins each to the next.
    package func byteCount(of name: String) -> Int {
        var count = 0
        forEachValue(of: name) { count += $0.count + 2 }
        return count
    }

    /// The members of a list field, of all its lines, in lower case.
    package func list(of name: String) -> [String] {
        values(of: name).flatMap(FieldValue.members).map { $0.lowercased() }
    }
}

/// Makes a peer's text safe to print: nothing in it controls a terminal.
extension String {
    /// The text with U+FFFD in place of control characters, line separators and bidirectional
    /// marks.
    package var printable: String { printable(keepingLines: false) }

    /// Like `printable`, but line ends and tabs are not replaced.
    package var printableLines: String { printable(keepingLines: true) }

    private func printable(keepingLines: Bool) -> String {
        func isKept(_ byte: UInt8) -> Bool { keepingLines && (byte == 0x0A || byte == 0x09) }
        if areAllBytes({ (0x20..<0x7F).contains($0) || isKept($0) }) { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            let isPlain = scalar.isASCII && isKept(UInt8(ascii: scalar)) || !scalar.actsOnTerminal
            result.append(isPlain ? scalar : "\u{FFFD}")
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// Controls of ASCII and ISO 6429, line separators and bidirectional marks.
    package var actsOnTerminal: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
