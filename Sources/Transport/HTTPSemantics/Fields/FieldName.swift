extension Collection<UInt8> {
    /// Whether two names of header fields are equal, ignoring the case of ASCII letters (RFC 9110 section 5.1).
    func isSameName(as other: some Collection<UInt8>) -> Bool {
        count == other.count
            && zip(self, other).allSatisfy { first, second in
                first == second || first ^ second == 0x20 && first.isASCIILetter
            }
    }
}

extension String {
    package func isSameField(as other: String) -> Bool { utf8.isSameName(as: other.utf8) }
}

extension UInt8 {
    @inlinable package var isASCIIDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

    var isASCIILetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 }

    /// Nil for what is no hexadecimal digit in ASCII.
    var hexDigitValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}

/// A field name that compares without regard to the case of ASCII letters.
struct FoldedName: Hashable, Sendable, ExpressibleByStringLiteral {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    init(_ name: String) {
        self.init(ArraySlice(name.utf8))
    }

    init(stringLiteral name: String) {
        self.init(name)
    }

    static func == (one: FoldedName, other: FoldedName) -> Bool {
        one.bytes.isSameName(as: other.bytes)
    }

    /// Hashes eight bytes at a time. Only the two cases of a letter are folded together: a peer
    /// must not find many names with one hash.
    func hash(into hasher: inout Hasher) {
        var word: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            let isCapital = byte &- UInt8(ascii: "A") < 26
            word = word << 8 | UInt64(isCapital ? byte | 0x20 : byte)
            if index & 7 == 7 {
                hasher.combine(word)
                word = 0
            }
        }
        hasher.combine(word)
        hasher.combine(bytes.count)
    }
}

/// What a request's header field may contain. Bytes are checked, not characters: to Swift CR LF is
/// one character.
package enum RequestField {
    /// What is wrong with a field, in a sentence that names it; nil where it can be sent.
    package static func objection(to name: String, _ value: String) -> String? {
        if !isToken(name) {
            return "The name of the field \(printable(name)) is not a token (RFC 9110 section 5.1)."
        }
        return isValue(value)
            ? nil
            : "The value of the field \(printable(name)) holds a control character "
                + "(RFC 9110 section 5.5)."
    }

    /// Whether a text has no control byte except the tab.
    package static func isValue(_ text: String) -> Bool {
        text.areAllBytes { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    private static func printable(_ name: String) -> String {
        String(name.prefix(80)).debugDescription.printable
    }

    /// RFC 9110 section 5.6.2.
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.areAllBytes(isToken)
    }

    package static func isToken(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

extension String {
    /// Whether a condition holds for each byte; iterating over the string takes several times as
    /// long.
    package func areAllBytes(_ condition: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.allSatisfy(condition) }
            ?? utf8.allSatisfy(condition)
    }
}
