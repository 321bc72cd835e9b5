import Foundation

/// Pure: the lines of a file of SHA-256 sums, as `sha256sum` and BSD's `sha256` write them.
struct HashList: Equatable {
    /// The hashes by file name.
    private(set) var hashes: [String: String] = [:]
    /// The lines that say something else of a name than an earlier one: files of several folders may have one.
    private var contradictions: [String: Int] = [:]

    /// - Throws: `HashListError` for a line that is neither blank, a comment nor a sum.
    init(_ text: String) throws(HashListError) {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, bytes) in lines.enumerated() {
            var line = String(Substring(bytes))
            if line.utf8.last == 0x0D { line = String(line.utf8.dropLast()) ?? line }
            let isBlank = line.allSatisfy(\.isWhitespace)
            if isBlank || line.hasPrefix("#") { continue }
            guard let (hash, path) = Self.sum(line) else { throw HashListError(line: index + 1) }
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let old = hashes.updateValue(hash, forKey: name)
            if old != nil, old != hash { contradictions[name] = index + 1 }
        }
    }

    /// The hash of a file; nil where there is none.
    ///
    /// - Throws: `HashListError` for two hashes of the name.
    func hash(of name: String) throws(HashListError) -> String? {
        if let line = contradictions[name] { throw HashListError(line: line) }
        return hashes[name]
    }

    private static func sum(_ line: String) -> (hash: String, path: String)? {
        if line.hasPrefix("SHA256 ("), let end = line.range(of: ") = ", options: .backwards) {
            let path = line[line.index(line.startIndex, offsetBy: 8)..<end.lowerBound]
            return hash(String(line[end.upperBound...])).map { ($0, String(path)) }
        }
        guard let hash = hash(String(line.prefix(64))) else { return nil }
        let rest = line.dropFirst(64)
        guard rest.hasPrefix("  ") || rest.hasPrefix(" *"), rest.count > 2 else { return nil }
        return (hash, String(rest.dropFirst(2)))
    }

    /// A hash in lower case; nil where it is none.
    static func hash(_ text: String) -> String? {
        let isHash = text.utf8.count == 64 && text.allSatisfy { $0.isASCII && $0.isHexDigit }
        return isHash ? text.lowercased() : nil
    }
}

/// A line of a file of sums that says nothing, or something else than an earlier one.
struct HashListError: Error, Equatable {
    var line: Int
}
