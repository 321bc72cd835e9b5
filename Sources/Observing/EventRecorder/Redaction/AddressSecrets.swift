/// Finds the secrets in the bytes of a URL, or of a part of one: user information, and values in
/// path, query and fragment that have secret names.
///
/// A server chooses some of these bytes, so the time is linear in their number: a URL inside a
/// value is parsed, but only to a limited depth.
struct AddressSecrets {
    typealias Bytes = ArraySlice<UInt8>

    private static let ofPath: ASCIISet = "/;"
    private static let ofQuery: ASCIISet = "&;"
    private static let endOfAuthority: ASCIISet = "/?#"
    private static let startOfQuery: ASCIISet = "?#"
    private static let signOfAddress: ASCIISet = "%?/"
    private static let signOfSecret: ASCIISet = "=@"
    /// URLs nested deeper are not parsed, and redacted completely.
    private static let deepest = 3

    /// The ranges of the secrets, in order. An empty value has an empty range.
    private(set) var ranges: [Range<Int>] = []
    private let depth: Int

    init(depth: Int = 0) { self.depth = depth }

    mutating func find(inAddress address: Bytes) {
        // A URL in the query is a value, and what precedes it may be another value.
        var rest = address.prefix { !Self.startOfQuery.contains($0) }
        let query = address[rest.endIndex...]
        // A value that is no URL may have the form of a query.
        var separators = depth == 0 || rest.first == UInt8(ascii: "/") ? Self.ofPath : Self.ofQuery
        while let authority = Self.startOfAuthority(in: rest) {
            separators = Self.ofPath
            find(inValues: rest[..<authority], at: separators)
            rest = rest[authority...]
            let end = rest.firstIndex(where: Self.endOfAuthority.contains) ?? rest.endIndex
            if let sign = rest[..<end].lastIndex(of: UInt8(ascii: "@")) {
                ranges.append(authority..<sign)
                rest = rest[sign...]
            }
        }
        find(inValues: rest, at: separators)
        let (beforeFragment, fragment) = Self.halves(query, at: UInt8(ascii: "#"))
        find(inValues: beforeFragment.dropFirst(), at: Self.ofQuery)
        guard let fragment else { return }
        let (path, fragmentQuery) = Self.halves(fragment, at: UInt8(ascii: "?"))
        find(inValues: path, at: Self.ofQuery)
        if let fragmentQuery { find(inValues: fragmentQuery, at: Self.ofQuery) }
    }

    /// Behind "://", or behind "//" at the start.
    private static func startOfAuthority(in bytes: Bytes) -> Int? {
        if bytes.starts(with: "//".utf8) { return bytes.startIndex + 2 }
        return bytes.firstRange(of: "://".utf8)?.upperBound
    }

    private mutating func find(inValues values: Bytes, at separators: ASCIISet) {
        // The secret before a semicolon may continue after it.
        var isRest = false
        separators.eachPiece(of: values) { piece, separator in
            let (name, value) = Self.halves(piece, at: UInt8(ascii: "="))
            if let value {
                isRest = Redaction.isSecret(String(decoding: name, as: UTF8.self))
                if isRest { ranges.append(value.indices) } else { find(inValue: value) }
            } else if isRest, !name.isEmpty {
                ranges.append(name.indices)
            } else {
                find(inValue: name)
            }
            isRest = isRest && separator == UInt8(ascii: ";")
        }
    }

    /// A value may be a URL itself, or a part of one: `/login?token=abc`.
    private mutating func find(inValue value: Bytes) {
        guard value.contains(where: Self.signOfAddress.contains) else { return }
        let plain = PercentDecoded(value)
        guard plain.hasEscape || plain.bytes.contains(where: Self.signOfSecret.contains) else {
            return
        }
        guard depth < Self.deepest else { return ranges.append(value.indices) }
        var inner = AddressSecrets(depth: depth + 1)
        inner.find(inAddress: plain.bytes[...])
        ranges += inner.ranges.map { plain.origins[$0.lowerBound]..<plain.origins[$0.upperBound] }
    }

    private static func halves(_ bytes: Bytes, at mark: UInt8) -> (Bytes, Bytes?) {
        guard let index = bytes.firstIndex(of: mark) else { return (bytes, nil) }
        return (bytes[..<index], bytes[(index + 1)...])
    }
}

/// Percent-decoded bytes with the origin of each. What is no escape stays.
private struct PercentDecoded {
    private(set) var bytes: [UInt8] = []
    /// One more entry than there are bytes.
    private(set) var origins: [Int] = []

    init(_ coded: ArraySlice<UInt8>) {
        bytes.reserveCapacity(coded.count)
        origins.reserveCapacity(coded.count + 1)
        var index = coded.startIndex
        while index < coded.endIndex {
            origins.append(index)
            let escaped = Self.escape(at: index, in: coded)
            bytes.append(escaped ?? coded[index])
            index += escaped == nil ? 1 : 3
        }
        origins.append(coded.endIndex)
    }

    var hasEscape: Bool {
        bytes.indices.contains { Self.escape(at: $0, in: bytes[...]) != nil }
    }

    private static func escape(at index: Int, in bytes: ArraySlice<UInt8>) -> UInt8? {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.endIndex,
            let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2])
        else { return nil }
        return UInt8(high << 4 | low)
    }

    private static func digit(_ byte: UInt8) -> Int? {
        Character(Unicode.Scalar(byte)).hexDigitValue
    }
}

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
