/// Names of header fields, which are ASCII (RFC 9110 section 5.1).
package enum FieldName {
    /// Whether two names are equal, ignoring the case of ASCII letters.
    @inlinable
    package static func isSame(
        _ one: some Collection<UInt8>, _ other: some Collection<UInt8>
    ) -> Bool {
        one.count == other.count
            && zip(one, other).allSatisfy { first, second in
                first == second
                    || first ^ second == 0x20
                        && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first | 0x20)
            }
    }
}

extension String {
    package func isSameField(as other: String) -> Bool { FieldName.isSame(utf8, other.utf8) }
}
