import TestSupport

/// The pages of the guide and of the package's front, as text.
enum GuidePages {
    static let root = packageFolder
    static let folder = "Documentation/Guide"

    /// Pages that exist in both languages, English first.
    static let pairs = [
        ("README.md", "README.zh-Hans.md"),
        ("\(folder)/en/README.md", "\(folder)/zh-Hans/README.md"),
        ("\(folder)/en/GettingStarted.md", "\(folder)/zh-Hans/GettingStarted.md"),
        ("\(folder)/en/Programs.md", "\(folder)/zh-Hans/Programs.md"),
        ("\(folder)/en/Tasks.md", "\(folder)/zh-Hans/Tasks.md"),
        ("\(folder)/en/CommandLine.md", "\(folder)/zh-Hans/CommandLine.md"),
    ]

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The lines of a page outside its blocks of code.
    static func prose(_ text: String) -> [String] {
        var isCode = false
        return text.components(separatedBy: "\n").filter { line in
            guard !line.hasPrefix("```") else {
                isCode.toggle()
                return false
            }
            return !isCode
        }
    }

    /// The blocks of code of a page.
    static func code(_ text: String) -> [String] {
        let parts = text.components(separatedBy: "\n```")
        return stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
    }

    struct Heading: CustomStringConvertible {
        var level: Int
        var words: String
        /// "3" of "3. The program"; nil where there is none.
        var number: Int? { Int(words.prefix { $0.isNumber }) }
        var description: String { String(repeating: "#", count: level) + " " + words }
    }

    static func headings(_ text: String) -> [Heading] {
        prose(text).compactMap { line in
            let level = line.prefix { $0 == "#" }.count
            guard level > 0, line.dropFirst(level).first == " " else { return nil }
            return Heading(level: level, words: String(line.dropFirst(level + 1)))
        }
    }

    /// A heading's anchor, as the hosts of repositories make it.
    static func anchor(_ heading: Heading) -> String {
        let kept = heading.words.lowercased().filter {
            $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_"
        }
        return kept.replacing(" ", with: "-")
    }

    /// What is the same in both: nil; else a sentence on the first heading that one lacks.
    static func difference(_ english: String, _ chinese: String) -> String? {
        let (old, new) = (headings(english), headings(chinese))
        for (first, second) in zip(old, new)
        where first.level != second.level || first.number != second.number {
            return "\"\(first)\" stands against \"\(second)\""
        }
        if old.count > new.count { return "Chinese lacks \"\(old[new.count])\"" }
        if new.count > old.count { return "English lacks \"\(new[old.count])\"" }
        return nil
    }

    /// The pages of the repository whose links are looked at.
    static var all: [String] {
        get throws {
            let manager = FileManager.default
            let top = try manager.contentsOfDirectory(atPath: root.path)
            let below = manager.enumerator(
                atPath: root.appendingPathComponent("Documentation").path)
            let pages = below?.compactMap { $0 as? String }.map { "Documentation/" + $0 } ?? []
            return (top + pages).filter { $0.hasSuffix(".md") }.sorted()
        }
    }
}
