/// A few ASCII characters.
struct ASCIISet: ExpressibleByStringLiteral {
    private let bits: UInt128

    init(stringLiteral: String) { bits = stringLiteral.utf8.reduce(0) { $0 | 1 << UInt128($1) } }

    func contains(_ byte: UInt8) -> Bool { byte < 128 && bits >> UInt128(byte) & 1 == 1 }

    /// Calls back with the pieces between these characters, each with the character after it; the
    /// last has none.
    func eachPiece(
        of bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>, UInt8?) -> Void
    ) {
        var rest = bytes
        while let end = rest.firstIndex(where: contains) {
            body(rest[..<end], rest[end])
            rest = rest[(end + 1)...]
        }
        body(rest, nil)
    }
}
