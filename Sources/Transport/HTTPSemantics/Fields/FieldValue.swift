/// Values of header fields that are lists (RFC 9110 section 5.6.1).
package enum FieldValue {
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

    static func isBlank(_ byte: UInt8) -> Bool {
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
    package static let longestList = 65_536

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
