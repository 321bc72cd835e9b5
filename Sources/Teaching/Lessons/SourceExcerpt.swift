public import Foundation

/// A declaration in a Swift file, found by its name, with its comment.
public struct SourceExcerpt: Sendable {
    /// Relative to the checkout.
    public let path: String
    /// The name of a function, property or type.
    public let name: String

    /// - Parameter marker: a lesson's text between `<!-- begin: ` and ` -->`:
    ///   `declaration PATH NAME`.
    init?(marker: Substring) {
        let words = marker.split(separator: " ")
        guard words.count == 3, words[0] == "declaration" else { return nil }
        (path, name) = (String(words[1]), String(words[2]))
    }

    /// The declaration's lines, without the indentation; nil where there is no such declaration.
    ///
    /// - Parameter root: the checkout's folder.
    public func lines(in root: URL) -> [String]? {
        let text = try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        return text.flatMap { Self.lines(of: name, in: $0) }
    }

    /// The lines of a declaration in the text of a file.
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

    /// A lesson's text with each excerpt updated; an excerpt whose declaration is missing stays as it is.
    ///
    /// - Parameter root: the checkout's folder.
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
