public import Foundation

/// A lesson's text in one language, from its Markdown file.
///
/// The file has a title and five parts, under headings of the second level in this order: the question
/// with its numbered answers, the experiment, the explanation, the source, and the exercise.
public struct LessonText: Sendable {
    /// The heading of the first level.
    public let title: String
    /// The parts by their headings, in the file's order.
    public let parts: [(heading: String, text: String)]

    /// The text of a lesson, which is compiled into the program.
    ///
    /// - Throws: `LessonTextError` where there is none in the language.
    public init(of lesson: Lesson, in language: Language) throws {
        self.init(try LessonTexts.text("\(language.rawValue)/\(lesson.fileName)"))
    }

    init(_ markdown: String) {
        // HTML comments cite statements, for tests; readers do not see them.
        let markdown = markdown.replacing(#/ *<!-- (?!begin|end)[^>]*-->/#, with: "")
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

    /// The checkout that the program was built from; it need not be there any more.
    public static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The file of a lesson in a language, in a checkout.
    public static func file(of lesson: Lesson, in language: Language, root: URL = root) -> URL {
        root.appendingPathComponent(
            "Documentation/Lessons/\(language.rawValue)/\(lesson.fileName).md")
    }

    /// The question, without its answers.
    public var question: String {
        let lines = (parts.first?.text ?? "").split(separator: "\n")
        return lines.filter { Self.answer(in: $0) == nil && !$0.hasPrefix("   ") }
            .joined(separator: " ")
    }

    /// The answers to choose from, without their numbers: `answers[0]` is the page's number 1.
    public var answers: [String] {
        (parts.first?.text ?? "").split(separator: "\n").reduce(into: []) { answers, line in
            if let answer = Self.answer(in: line) {
                answers.append(answer)
            } else if line.hasPrefix("   "), !answers.isEmpty {
                answers[answers.count - 1] += " " + line.drop { $0 == " " }
            }
        }
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
    /// - Parameter columns: the terminal's width, at least 20; only what has no space may be wider.
    public func lines(of part: Part, columns: Int = 80) -> [String] {
        guard parts.indices.contains(part.rawValue) else { return [] }
        let text = parts[part.rawValue].text
        return TerminalText.lines(
            of: part == .experiment ? Self.withoutMeasurements(text) : text, columns: columns)
    }

    /// Removes the measurements of an earlier run: a reader who runs the experiment has new ones.
    private static func withoutMeasurements(_ text: String) -> String {
        text.replacing(/(?s)<!-- begin: measured -->.*?<!-- end -->/, with: "")
    }

    /// The number of words of the explanation, without the box about the original. Two Chinese
    /// characters count as one word.
    public var wordCount: Int {
        guard parts.indices.contains(Part.explanation.rawValue) else { return 0 }
        let prose = parts[Part.explanation.rawValue].text.split(separator: "\n")
            .filter { !$0.hasPrefix(">") }.joined(separator: "\n")
        let han = prose.unicodeScalars.count { 0x4E00...0x9FFF ~= $0.value }
        let rest = String(
            String.UnicodeScalarView(
                prose.unicodeScalars.map { 0x4E00...0x9FFF ~= $0.value ? " " : $0 }))
        return han / 2 + rest.split(whereSeparator: { !$0.isLetter && !$0.isNumber }).count
    }
}
