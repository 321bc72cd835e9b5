public import Foundation

/// A declaration in a Swift file, with its comment, which a lesson shows. It is found by its name.
public struct SourceExcerpt: Sendable {
    /// The path of the file, relative to the folder of the repository.
    public let path: String
    /// The name of a function, property or type.
    public let name: String

    /// - Parameter marker: `declaration PATH NAME`, as it stands in a lesson's text between `<!-- begin: ` and ` -->`.
    /// - Returns: nil for other markers.
    init?(marker: Substring) {
        let words = marker.split(separator: " ")
        guard words.count == 3, words[0] == "declaration" else { return nil }
        (path, name) = (String(words[1]), String(words[2]))
    }

    /// Returns the lines of the declaration, without its indentation; nil if the file has no such declaration.
    ///
    /// - Parameter root: the folder of the repository.
    public func lines(in root: URL) -> [String]? {
        let text = try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        return text.flatMap { Self.lines(of: name, in: $0) }
    }

    /// Finds a declaration in the text of a file, and returns its lines.
    public static func lines(of name: String, in text: String) -> [String]? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let words = ["func", "var", "let", "struct", "class", "enum", "init"].joined(separator: "|")
        let pattern = "^ *(?:[@A-Za-z]+ )*(?:\(words)) ?\(name)(?![A-Za-z0-9])"
        guard let start = lines.firstIndex(where: { matches($0, pattern) }) else { return nil }
        let indent = lines[start].prefix { $0 == " " }
        let isWhole = lines[start].hasSuffix("}") || !lines[start...].contains(indent + "}")
        let end = isWhole ? start : lines[start...].firstIndex(of: indent + "}") ?? start
        let comment = lines[..<start].reversed().prefix { $0.hasPrefix(indent + "///") }.count
        return lines[(start - comment)...end].map { String($0.dropFirst(indent.count)) }
    }

    private static func matches(_ line: String, _ pattern: String) -> Bool {
        line.range(of: pattern, options: .regularExpression) != nil
    }

    /// Returns a lesson's text, in which each excerpt was replaced by the present source. An excerpt whose declaration does
    /// not exist is not changed.
    ///
    /// - Parameter root: the folder of the repository.
    public static func fill(_ markdown: String, in root: URL) -> String {
        var result: [Substring] = []
        var isSkipping = false
        for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "<!-- end -->" { isSkipping = false }
            if !isSkipping { result.append(line) }
            if line.hasPrefix("<!-- begin: "), line.hasSuffix(" -->"),
                let excerpt = SourceExcerpt(marker: line.dropFirst(12).dropLast(4)),
                let lines = excerpt.lines(in: root)
            {
                result.append(contentsOf: ["```swift"] + lines.map { $0[...] } + ["```"])
                isSkipping = true
            }
        }
        return result.joined(separator: "\n")
    }
}
