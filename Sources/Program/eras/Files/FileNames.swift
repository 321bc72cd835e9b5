import Foundation
import HTTPSemantics
import OperationNetworking

/// Pure: the file names for a list of URLs; the same list gives the same names.
struct FileNames {
    /// The longest name in bytes; with the longest suffix it has at most 255.
    static let limit = 255 - DownloadPlace.longestSuffix.utf8.count

    /// The names in use, by `key`.
    private var taken: Set<String> = []
    /// The last number of each name, by `key`, so that a thousand files of one name are quick.
    private var numbers: [String: Int] = [:]

    /// The next URL's name. The second file of a name is `name-2`, before an extension.
    mutating func next(for url: URL) -> String {
        let base = Self.base(for: url)
        var name = base
        var number = numbers[Self.key(base)] ?? 1
        while !isFree(name) {
            number += 1
            name = Self.numbered(base, number)
        }
        numbers[Self.key(base)] = number
        let key = Self.key(name)
        for suffix in FilePlace.suffixes { taken.insert(key + suffix) }
        return name
    }

    /// A file must not have the name of another file's part.
    private func isFree(_ name: String) -> Bool {
        // A suffix has no letter that a key changes.
        let key = Self.key(name)
        return FilePlace.suffixes.allSatisfy { !taken.contains(key + $0) }
    }

    /// Names that some file systems treat as equal have one key.
    static func key(_ name: String) -> String {
        let small = name.lowercased()
        if small.utf8.allSatisfy({ $0 < 0x80 }) { return small }
        return small.precomposedStringWithCanonicalMapping
    }

    /// The last part of the path, decoded and safe as a name; `index` when it is empty.
    static func base(for url: URL) -> String {
        let path = url.path(percentEncoded: true)
        let last = String(
            path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
        let decoded = last.removingPercentEncoding ?? last
        return harmless(decoded) ?? "index"
    }

    /// The name that a file of the name gets, which a person gave; nil where nothing is left of it.
    static func harmless(_ name: String) -> String? {
        SuggestedFileName(name, limit: limit, keepsDot: true)?.text
    }

    private static func numbered(_ name: String, _ number: Int) -> String {
        SuggestedFileName(name, limit: limit, keepsDot: true)?.numbered(number) ?? name
    }
}
