import Foundation
import HTTPSemantics

/// The sums of a file, in the formats of `sha256sum`, `sha512sum` and `md5sum`, also with `--tag`, of
/// BSD's `sha256`, and of `openssl dgst`. Of several sums of one file the strongest counts.
struct HashList: Equatable {
    private struct Entry: Equatable {
        var sum: FileSum
        /// A line with another sum of this kind: files of several folders may have the same name.
        var contradiction: Int?
    }

    /// By file name.
    private var names: [String: Entry] = [:]
    /// By paths with a folder.
    private var paths: [String: Entry] = [:]
    /// By names without dangerous characters, as downloaded files have them, where those differ.
    private var harmless: [String: Entry] = [:]

    /// The sums by file name.
    var sums: [String: FileSum] { names.mapValues(\.sum) }

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
            guard let (sum, path) = Self.sum(line) else { throw HashListError(line: index + 1) }
            let parts = path.split(separator: "/").filter { $0 != "." }
            if parts.count > 1 {
                add(sum, parts.joined(separator: "/"), line: index + 1, to: \.paths)
            }
            let name = parts.last.map(String.init) ?? path
            add(sum, name, line: index + 1, to: \.names)
            guard let short = FileNames.harmless(path), short != name else { continue }
            add(sum, short, line: index + 1, to: \.harmless)
        }
    }

    private mutating func add(
        _ sum: FileSum, _ name: String, line: Int, to list: WritableKeyPath<Self, [String: Entry]>
    ) {
        guard let old = self[keyPath: list][name]?.sum, old.kind.length >= sum.kind.length else {
            return self[keyPath: list][name] = Entry(sum: sum)
        }
        if old.kind == sum.kind, old != sum { self[keyPath: list][name]?.contradiction = line }
    }

    /// The sum of a file: that of its path, or else of its name; nil where there is none.
    ///
    /// - Parameter folder: the folder that the list of URLs gives the file.
    /// - Throws: `HashListError` where the path or the name has two sums.
    func sum(of name: String, in folder: String? = nil) throws(HashListError) -> FileSum? {
        let ofPath = folder.flatMap { paths["\($0)/\(name)"] }
        let entry = ofPath ?? names[name] ?? harmless[name]
        if let line = entry?.contradiction { throw HashListError(line: line) }
        return entry?.sum
    }

    /// Whether a line of BSD's format has a sum of another algorithm.
    private static func isOfOtherKind(_ line: String) -> Bool {
        let kinds = ["RMD160", "SHA1", "SHA224", "SHA384", "SHA512/256", "BLAKE2b"]
        return kinds.contains { line.hasPrefix($0 + " (") } && line.contains(") = ")
    }

    private static func sum(_ line: String) -> (sum: FileSum, path: String)? {
        var rest = line.drop { $0 == " " || $0 == "\t" }
        let isEscaped = rest.first == "\\"
        if isEscaped { rest = rest.dropFirst() }
        guard let (sum, path) = named(rest) ?? numbered(rest), !path.isEmpty else { return nil }
        guard isEscaped else { return (sum, path) }
        return unescaped(path).map { (sum, $0) }
    }

    /// The formats `SHA256 (name) = HASH`, and `SHA256(name)= HASH` of openssl.
    private static func named(_ line: Substring) -> (sum: FileSum, path: String)? {
        let names = ["SHA256", "SHA2-256", "SHA512", "SHA2-512", "MD5"]
        guard let kind = names.first(where: line.hasPrefix) else { return nil }
        let rest = line.dropFirst(kind.count).drop { $0 == " " }
        guard rest.first == "(", let close = rest.range(of: ")", options: .backwards) else {
            return nil
        }
        let tail = rest[close.upperBound...].drop { $0 == " " }
        guard tail.first == "=", let sum = FileSum(String(tail.dropFirst().drop { $0 == " " })),
            kind.replacing("2-", with: "") == sum.kind.rawValue
        else { return nil }
        return (sum, String(rest[rest.index(after: rest.startIndex)..<close.lowerBound]))
    }

    /// The formats `HASH  name`, `HASH *name`, and `HASH name` of BSD's `sha256 -r`.
    private static func numbered(_ line: Substring) -> (sum: FileSum, path: String)? {
        let digits = line.prefix { $0 != " " && $0 != "\t" }
        guard let sum = FileSum(String(digits)) else { return nil }
        let name = line.dropFirst(digits.count + 1)
        return (sum, String(name.first == " " || name.first == "*" ? name.dropFirst() : name))
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
}

/// A line of a file of sums that cannot be parsed, or contradicts an earlier one.
struct HashListError: Error, Equatable {
    var line: Int
}
