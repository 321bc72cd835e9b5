import Foundation

/// Pure: the sums of a file, in the formats of `sha256sum`, BSD's `sha256` and `openssl dgst`.
struct HashList: Equatable {
    /// The hashes by file name.
    private(set) var hashes: [String: String] = [:]
    /// The hashes by the names of downloaded files, where those differ.
    private var harmless: [String: String] = [:]
    /// Lines whose hash contradicts an earlier one of the same name: files of several folders may have
    /// the same name.
    private var contradictions: [String: Int] = [:]

    /// - Throws: `HashListError` for a line that is neither blank, a comment nor a sum.
    init(_ text: String) throws(HashListError) {
        var lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if let first = lines.first, first.starts(with: mark) { lines[0] = first.dropFirst(3) }
        var isHead = false
        for (index, bytes) in lines.enumerated() {
            let end = bytes.last == 0x0D ? bytes.dropLast() : bytes
            let line = String(Substring(end))
            if line.hasPrefix("-----BEGIN PGP SIGNATURE") { break }
            // A signed text begins with header lines, up to a blank line.
            if line.hasPrefix("-----BEGIN PGP SIGNED MESSAGE") { isHead = true }
            let isBlank = line.allSatisfy(\.isWhitespace)
            if isBlank { isHead = false }
            if isBlank || isHead || line.hasPrefix("#") || Self.isOfOtherKind(line) { continue }
            guard let (hash, path) = Self.sum(line) else { throw HashListError(line: index + 1) }
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let old = hashes.updateValue(hash, forKey: name)
            if old != nil, old != hash { contradictions[name] = index + 1 }
            guard let short = FileNames.harmless(path), short != name else { continue }
            let other = harmless.updateValue(hash, forKey: short)
            if other != nil, other != hash { contradictions[short] = index + 1 }
        }
    }

    /// The hash of a file; nil where there is none.
    ///
    /// - Throws: `HashListError` where the name has two hashes.
    func hash(of name: String) throws(HashListError) -> String? {
        if let line = contradictions[name] { throw HashListError(line: line) }
        return hashes[name] ?? harmless[name]
    }

    /// Whether a line of BSD's format has a sum of another algorithm.
    private static func isOfOtherKind(_ line: String) -> Bool {
        let kinds = [
            "MD5", "RMD160", "SHA1", "SHA224", "SHA384", "SHA512", "SHA512/256", "BLAKE2b",
        ]
        return kinds.contains { line.hasPrefix($0 + " (") } && line.contains(") = ")
    }

    private static func sum(_ line: String) -> (hash: String, path: String)? {
        var rest = line.drop { $0 == " " || $0 == "\t" }
        let isEscaped = rest.first == "\\"
        if isEscaped { rest = rest.dropFirst() }
        guard let (hash, path) = named(rest) ?? numbered(rest), !path.isEmpty else { return nil }
        guard isEscaped else { return (hash, path) }
        return unescaped(path).map { (hash, $0) }
    }

    /// The formats `SHA256 (name) = HASH`, and `SHA256(name)= HASH` of openssl.
    private static func named(_ line: Substring) -> (hash: String, path: String)? {
        guard let kind = ["SHA256", "SHA2-256"].first(where: line.hasPrefix) else { return nil }
        let rest = line.dropFirst(kind.count).drop { $0 == " " }
        guard rest.first == "(", let close = rest.range(of: ")", options: .backwards) else {
            return nil
        }
        let tail = rest[close.upperBound...].drop { $0 == " " }
        guard tail.first == "=", let hash = hash(String(tail.dropFirst().drop { $0 == " " }))
        else { return nil }
        return (hash, String(rest[rest.index(after: rest.startIndex)..<close.lowerBound]))
    }

    /// The formats `HASH  name`, `HASH *name`, and `HASH name` of BSD's `sha256 -r`.
    private static func numbered(_ line: Substring) -> (hash: String, path: String)? {
        guard let hash = hash(String(line.prefix(64))) else { return nil }
        let rest = line.dropFirst(64)
        guard rest.first == " " || rest.first == "\t" else { return nil }
        let name = rest.dropFirst()
        return (hash, String(name.first == " " || name.first == "*" ? name.dropFirst() : name))
    }

    /// A name without its escapes, which are `\\`, `\n` and `\r`; nil for another escape.
    private static func unescaped(_ name: String) -> String? {
        let signs: [Character: Character] = ["\\": "\\", "n": "\n", "r": "\r"]
        var text = ""
        var rest = name[...]
        while let sign = rest.popFirst() {
            guard sign == "\\" else {
                text.append(sign)
                continue
            }
            guard let next = rest.popFirst().flatMap({ signs[$0] }) else { return nil }
            text.append(next)
        }
        return text
    }

    /// A hash in lower case; nil where it is none.
    static func hash(_ text: String) -> String? {
        let isHash = text.utf8.count == 64 && text.allSatisfy { $0.isASCII && $0.isHexDigit }
        return isHash ? text.lowercased() : nil
    }
}

/// A line of a file of sums that cannot be parsed, or contradicts an earlier one.
struct HashListError: Error, Equatable {
    var line: Int
}
