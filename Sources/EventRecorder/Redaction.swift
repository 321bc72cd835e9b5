import Foundation

/// Takes secrets out of texts; what is redacted stays as it is when it comes again.
///
/// It works on bytes, for it sees the text of each recorded request.
enum Redaction {
    static let mark = "REDACTED"

    private typealias Bytes = ArraySlice<UInt8>

    private static let spaces: ASCIISet = " \t\r\n"
    private static let ofPath: ASCIISet = "/;"
    private static let ofQuery: ASCIISet = "&;"
    private static let endOfAuthority: ASCIISet = "/?#"
    private static let colonOrPercent: ASCIISet = ":%"

    // MARK: Texts

    /// Redacts each word that is an address or a part of one.
    static func text(_ text: String) -> String {
        redacted(text) { bytes, result in
            eachPiece(of: bytes, at: spaces) { word, space in
                write(address: word, to: &result)
                if let space { result.append(space) }
            }
        }
    }

    /// Redacts user information, and values in path, query and fragment whose names are those of
    /// secrets.
    static func address(_ address: String) -> String {
        redacted(address) { write(address: $0, to: &$1) }
    }

    private static func redacted(
        _ text: String, _ write: (Bytes, inout [UInt8]) -> Void
    ) -> String {
        // Most texts have nothing that could be a secret.
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "@") })
        else { return text }
        var result: [UInt8] = []
        write(Array(text.utf8)[...], &result)
        return String(decoding: result, as: UTF8.self)
    }

    // MARK: Addresses

    private static func write(address: Bytes, to result: inout [UInt8]) {
        var rest = address
        if let authority = startOfAuthority(in: rest) {
            result += rest[..<authority]
            rest = rest[authority...]
            let end = rest.firstIndex(where: endOfAuthority.contains) ?? rest.endIndex
            if let sign = rest[..<end].lastIndex(of: UInt8(ascii: "@")) {
                result += mark.utf8
                rest = rest[sign...]
            }
        }
        let (beforeFragment, fragment) = halves(rest, at: UInt8(ascii: "#"))
        write(beforeFragment, pathSeparators: ofPath, to: &result)
        if let fragment {
            result.append(UInt8(ascii: "#"))
            write(fragment, pathSeparators: ofQuery, to: &result)
        }
    }

    /// Behind "://".
    private static func startOfAuthority(in bytes: Bytes) -> Int? {
        var rest = bytes
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            rest = rest[(colon + 1)...]
            if rest.starts(with: "//".utf8) { return colon + 3 }
        }
        return nil
    }

    private static func halves(_ bytes: Bytes, at mark: UInt8) -> (Bytes, Bytes?) {
        guard let index = bytes.firstIndex(of: mark) else { return (bytes, nil) }
        return (bytes[..<index], bytes[(index + 1)...])
    }

    /// A path and a query.
    private static func write(
        _ bytes: Bytes, pathSeparators: ASCIISet, to result: inout [UInt8]
    ) {
        let (path, query) = halves(bytes, at: UInt8(ascii: "?"))
        write(values: path, at: pathSeparators, to: &result)
        if let query {
            result.append(UInt8(ascii: "?"))
            write(values: query, at: ofQuery, to: &result)
        }
    }

    private static func write(
        values: Bytes, at separators: ASCIISet, to result: inout [UInt8]
    ) {
        // A semicolon may be a part of the secret before it.
        var isRest = false
        eachPiece(of: values, at: separators) { piece, separator in
            let (name, value) = halves(piece, at: UInt8(ascii: "="))
            if let value {
                isRest = SecretNames.shared.contain(String(decoding: name, as: UTF8.self))
                result += name
                result.append(UInt8(ascii: "="))
                if isRest { result += mark.utf8 } else { result += nested(value) }
            } else if isRest, !name.isEmpty {
                result += mark.utf8
            } else {
                result += name
            }
            if let separator { result.append(separator) }
            isRest = isRest && separator == UInt8(ascii: ";")
        }
    }

    /// A value may be an address itself.
    private static func nested(_ value: Bytes) -> Bytes {
        guard mayHoldAddress(value),
            let plain = String(decoding: value, as: UTF8.self).removingPercentEncoding,
            startOfAuthority(in: Array(plain.utf8)[...]) != nil
        else { return value }
        let redacted = address(plain)
        guard redacted != plain else { return value }
        let quoted = redacted.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        return Bytes((quoted ?? mark).utf8)
    }

    /// Whether there is a colon, plain or in percent encoding.
    private static func mayHoldAddress(_ value: Bytes) -> Bool {
        var rest = value
        while let index = rest.firstIndex(where: colonOrPercent.contains) {
            rest = rest[(index + 1)...]
            if value[index] == UInt8(ascii: ":") { return true }
            if rest.starts(with: "3A".utf8) || rest.starts(with: "3a".utf8) { return true }
        }
        return false
    }

    // MARK: Pieces

    /// The last piece has no separator.
    private static func eachPiece(
        of bytes: Bytes, at separators: ASCIISet, _ body: (Bytes, UInt8?) -> Void
    ) {
        var rest = bytes
        while let end = rest.firstIndex(where: separators.contains) {
            body(rest[..<end], rest[end])
            rest = rest[(end + 1)...]
        }
        body(rest, nil)
    }
}

/// A few ASCII characters.
private struct ASCIISet: ExpressibleByStringLiteral {
    private let bits: UInt128

    init(stringLiteral: String) { bits = stringLiteral.utf8.reduce(0) { $0 | 1 << UInt128($1) } }

    func contains(_ byte: UInt8) -> Bool { byte < 128 && bits >> UInt128(byte) & 1 == 1 }
}
