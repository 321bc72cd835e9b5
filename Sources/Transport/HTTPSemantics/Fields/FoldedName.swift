/// A field name that compares without regard to the case of ASCII letters.
package struct FoldedName: Hashable, Sendable, ExpressibleByStringLiteral {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    package init(_ name: String) {
        self.init(ArraySlice(name.utf8))
    }

    package init(stringLiteral name: String) {
        self.init(name)
    }

    package static func == (one: FoldedName, other: FoldedName) -> Bool {
        FieldName.isSame(one.bytes, other.bytes)
    }

    /// Hashes eight bytes at a time. Only the two cases of a letter are folded together: a peer
    /// must not find many names with one hash.
    package func hash(into hasher: inout Hasher) {
        var word: UInt64 = 0
        for (place, byte) in bytes.enumerated() {
            let isCapital = byte &- UInt8(ascii: "A") < 26
            word = word << 8 | UInt64(isCapital ? byte | 0x20 : byte)
            if place & 7 == 7 {
                hasher.combine(word)
                word = 0
            }
        }
        hasher.combine(word)
        hasher.combine(bytes.count)
    }
}
