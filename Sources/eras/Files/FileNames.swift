import Foundation

/// Pure: the names under which a list of URLs is stored, the same for the same list.
struct FileNames {
    /// The longest name in bytes; with `.part.json` behind it it still fits into 255.
    static let limit = 255 - FilePlace.recordSuffix.utf8.count

    /// What is in use, by `key`.
    private var taken: Set<String> = []
    /// The last number given to a name, by `key`, so that a thousand of one name stay quick.
    private var numbers: [String: Int] = [:]

    /// The next URL's name. The second of two with one name becomes `name-2`, before an extension.
    mutating func next(for url: URL) -> String {
        let base = Self.base(for: url)
        var name = base
        var number = numbers[Self.key(base)] ?? 1
        while !isFree(name) {
            number += 1
            name = Self.numbered(base, number)
        }
        numbers[Self.key(base)] = number
        for suffix in FilePlace.suffixes {
            taken.insert(Self.key(name + suffix))
        }
        return name
    }

    /// A file must not have the name of another's part either.
    private func isFree(_ name: String) -> Bool {
        FilePlace.suffixes.allSatisfy { !taken.contains(Self.key(name + $0)) }
    }

    /// Names that some file systems do not tell apart have one key.
    private static func key(_ name: String) -> String {
        name.lowercased().precomposedStringWithCanonicalMapping
    }

    /// The last part of the path, decoded and harmless; `index` when nothing is left.
    static func base(for url: URL) -> String {
        let path = url.path(percentEncoded: true)
        let last = String(
            path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
        let decoded = last.removingPercentEncoding ?? last
        let harmless = String(
            String.UnicodeScalarView(decoded.unicodeScalars.map { isHarmful($0) ? "_" : $0 }))
        let name = shortened(String(harmless.drop { $0 == "." }), to: limit)
        return name.isEmpty ? "index" : name
    }

    /// Slashes, and all that could move a terminal's cursor.
    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: scalar == "/" || scalar == "\\"
        }
    }

    private static func numbered(_ name: String, _ number: Int) -> String {
        let (stem, ending) = split(name)
        let tail = "-\(number)" + ending
        return shortened(stem, to: limit - tail.utf8.count) + tail
    }

    /// At most so many bytes, whole characters; the ending stays.
    private static func shortened(_ name: String, to limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        let (stem, ending) = split(name)
        var kept = Substring(stem)
        while kept.utf8.count + ending.utf8.count > limit, !kept.isEmpty {
            kept.removeLast()
        }
        return kept + ending
    }

    /// The name and its ending with the dot, as far as the ending looks like one.
    private static func split(_ name: String) -> (stem: String, ending: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
            name[dot...].utf8.count <= 12
        else { return (name, "") }
        return (String(name[..<dot]), String(name[dot...]))
    }
}
