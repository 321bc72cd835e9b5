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
        !text.isEmpty
            && text.areAllBytes { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default:
                    "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
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
