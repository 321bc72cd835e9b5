public import Foundation

/// A lesson's text in one language, as its Markdown file has it.
///
/// The file has a title and five parts, under headings of the second level in this order: the question
/// with its numbered answers, the experiment, the explanation, the source, and the exercise.
public struct LessonText: Sendable {
    /// The heading of the first level.
    public let title: String
    /// The parts by their headings, in the file's order.
    public let parts: [(heading: String, text: String)]

    /// Reads the text of a lesson.
    ///
    /// - Parameter folder: `Documentation/Lessons` of a checkout.
    /// - Throws: what Foundation throws where there is no such file.
    public init(of lesson: Lesson, in language: Language, folder: URL = Self.folder) throws {
        let file = Self.file(of: lesson, in: language, folder: folder)
        self.init(try String(contentsOf: file, encoding: .utf8))
    }

    init(_ markdown: String) {
        var title = ""
        var parts: [(heading: String, text: String)] = []
        for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("# "), title.isEmpty {
                title = String(line.dropFirst(2))
            } else if line.hasPrefix("## ") {
                parts.append((String(line.dropFirst(3)), ""))
            } else if !parts.isEmpty {
                parts[parts.count - 1].text += line + "\n"
            }
        }
        self.title = title
        self.parts = parts
    }

    /// `Documentation/Lessons` of the checkout that the program was built from.
    public static let folder = root.appendingPathComponent("Documentation/Lessons")

    /// The checkout that the program was built from.
    static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The file of a lesson in a language.
    public static func file(of lesson: Lesson, in language: Language, folder: URL = folder) -> URL {
        folder.appendingPathComponent("\(language.rawValue)/\(lesson.fileName).md")
    }

    /// The question, without its answers.
    public var question: String {
        let lines = (parts.first?.text ?? "").split(separator: "\n")
        return lines.filter { Self.answer(in: $0) == nil }.joined(separator: " ")
    }

    /// The answers to guess from, the first as 1.
    public var answers: [String] {
        (parts.first?.text ?? "").split(separator: "\n").compactMap(Self.answer)
    }

    private static func answer(in line: Substring) -> String? {
        guard let match = line.firstMatch(of: /^[0-9]+\. (.+)/) else { return nil }
        return String(match.1)
    }

    /// A part of the lesson.
    public enum Part: Int, CaseIterable, Sendable {
        case question, experiment, explanation, source, exercise
    }

    /// A part as lines for a terminal, without its heading.
    ///
    /// - Parameter columns: the terminal's width; only source may be wider.
    public func lines(of part: Part, columns: Int = 80) -> [String] {
        guard parts.indices.contains(part.rawValue) else { return [] }
        return TerminalText.lines(of: parts[part.rawValue].text, columns: columns)
    }

    /// The words of the lesson, without the source that it shows; two Chinese characters count as
    /// one.
    public var wordCount: Int {
        let prose = parts.map(\.text).joined().replacing(/(?s)```.*?```/, with: "")
        let han = prose.unicodeScalars.count { 0x4E00...0x9FFF ~= $0.value }
        let rest = String(
            String.UnicodeScalarView(
                prose.unicodeScalars.map { 0x4E00...0x9FFF ~= $0.value ? " " : $0 }))
        return han / 2 + rest.split(whereSeparator: { !$0.isLetter && !$0.isNumber }).count
    }
}
