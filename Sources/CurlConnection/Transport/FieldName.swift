extension String {
    /// Whether two names of fields are one (RFC 9110 section 5.1): by bytes, in either case of
    /// ASCII's letters.
    func isSameField(as other: String) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { first, second in
                first == second
                    || first ^ second == 0x20
                        && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first | 0x20)
            }
    }
}
