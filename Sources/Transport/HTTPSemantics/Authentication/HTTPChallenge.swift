/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 section 11.6.1).
struct HTTPChallenge: Sendable, Equatable {
    /// The scheme as the server spelled it; schemes compare without case.
    var scheme: String
    var token68: String?
    /// Names are in lower case; of two parameters with the same name the first counts.
    var parameters: [String: String] = [:]

    /// How many challenges of one response are read; further ones are ignored.
    static let limit = 32
    static let parameterLimit = 32

    /// Reads fields in their order; text that is no challenge is skipped.
    ///
    /// - Parameter fields: the values of the fields, one for each line.
    static func challenges(in fields: [String]) -> [HTTPChallenge] {
        var found: [HTTPChallenge] = []
        for field in fields {
            var reader = HTTPChallengeReader(field)
            while found.count < limit, let next = reader.next() {
                found.append(next)
            }
        }
        return found
    }

    func isScheme(_ name: String) -> Bool {
        scheme.lowercased() == name
    }
}

/// Reads one field, byte by byte. Each step consumes bytes, so it ends.
///
/// Servers leave commas out or add some, put spaces around "=" and forget a closing quotation mark.
/// The reader accepts all of that. A comma inside quotation marks never ends anything.
private struct HTTPChallengeReader {
    private let bytes: [UInt8]
    private var index = 0
    /// Whether the last thing read was a comma or the beginning of the field, so a scheme may
    /// follow.
    private var mayBegin = true

    init(_ field: String) {
        bytes = Array(field.utf8)
    }

    /// The next challenge with all its parameters; nil at the end.
    mutating func next() -> HTTPChallenge? {
        while skipSeparators() {
            let name = token()
            if !name.isEmpty, !isParameter() {
                mayBegin = false
                var challenge = HTTPChallenge(scheme: name)
                readDetails(of: &challenge)
                return challenge
            }
            skipElement()
        }
        return nil
    }

    /// Reads what follows a scheme: a token68, or parameters up to the next scheme.
    private mutating func readDetails(of challenge: inout HTTPChallenge) {
        if let token = token68() {
            challenge.token68 = token
            return
        }
        while skipSeparators() {
            let start = index
            let name = token()
            guard !name.isEmpty, isParameter() else {
                index = start
                // A name without "=" after a comma is the next scheme.
                if !name.isEmpty, mayBegin { return }
                skipElement()
                continue
            }
            index += 1
            skipBlanks()
            let value = value()
            mayBegin = false
            if challenge.parameters.count < HTTPChallenge.parameterLimit,
                challenge.parameters[name.lowercased()] == nil
            {
                challenge.parameters[name.lowercased()] = value
            }
        }
    }

    // MARK: Pieces

    /// Whether "=" comes next; if so, skips the blanks before it.
    private mutating func isParameter() -> Bool {
        let start = index
        skipBlanks()
        if peek == UInt8(ascii: "=") { return true }
        index = start
        return false
    }

    private mutating func value() -> String {
        guard peek == UInt8(ascii: "\"") else { return token() }
        index += 1
        var content: [UInt8] = []
        while let byte = take(), byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\") else {
                content.append(byte)
                continue
            }
            if let escaped = take() { content.append(escaped) }
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// A token68, which ends at a comma or at the end of the field; otherwise nothing is read.
    private mutating func token68() -> String? {
        let start = index
        skipBlanks()
        let first = index
        while let byte = peek, Self.isToken68(byte) { index += 1 }
        let hasContent = index > first
        while peek == UInt8(ascii: "=") { index += 1 }
        let end = index
        skipBlanks()
        guard hasContent, first > start, peek == nil || peek == UInt8(ascii: ",") else {
            index = start
            return nil
        }
        return String(decoding: bytes[first..<end], as: UTF8.self)
    }

    private mutating func token() -> String {
        let start = index
        while let byte = peek, RequestField.isToken(byte) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Skips blanks and commas; false at the end.
    private mutating func skipSeparators() -> Bool {
        while let byte = peek {
            if byte == UInt8(ascii: ",") {
                mayBegin = true
            } else if !FieldValue.isBlank(byte) {
                return true
            }
            index += 1
        }
        return false
    }

    private mutating func skipBlanks() {
        while let byte = peek, FieldValue.isBlank(byte) { index += 1 }
    }

    /// Moves to the next comma outside quotation marks.
    private mutating func skipElement() {
        while let byte = peek, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") {
                _ = value()
            } else {
                index += 1
            }
        }
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take() -> UInt8? {
        guard let byte = peek else { return nil }
        index += 1
        return byte
    }

    private static func isToken68(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "-._~+/".utf8.contains(byte)
    }
}
