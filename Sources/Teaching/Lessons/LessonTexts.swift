/// The texts of lessons and hints that are compiled into the program.
enum LessonTexts {
    /// - Throws: `LessonTextError` where there is none.
    static func text(_ key: String) throws(LessonTextError) -> String {
        guard let text = all[key] else { throw LessonTextError(key: key) }
        return text
    }
}

/// A text that did not exist when the program was built.
public struct LessonTextError: Error, Sendable, CustomStringConvertible {
    /// Language and name, such as `en/07-recursive-lock`.
    public let key: String

    /// One sentence.
    public var description: String {
        "This program was built without the text \(key); in the checkout, run "
            + "scripts/update-documentation and build it again."
    }
}

/// The hints of an exercise, in order.
public struct Hints: Sendable {
    /// In Markdown, without their headings.
    public let all: [String]

    /// - Parameter exercise: its folder, such as `07-plain-lock`.
    /// - Throws: `LessonTextError` where it has none in the language.
    public init(of exercise: String, in language: Language) throws {
        self.init(try LessonTexts.text("\(language.rawValue)/hints/\(exercise)"))
    }

    init(_ markdown: String) {
        all = markdown.matches(of: /(?s)<\/summary>(.*?)<\/details>/).map { match in
            match.1.split(separator: "\n", omittingEmptySubsequences: false)
                .drop { $0.isEmpty }.joined(separator: "\n")
        }
    }

    /// The file in the exercise's folder.
    static func fileName(_ language: Language) -> String {
        language == .english ? "HINTS.md" : "HINTS.\(language.rawValue).md"
    }

    /// A hint as lines for a terminal; none where there is no such hint.
    ///
    /// - Parameter number: from 1 on.
    public func lines(_ number: Int, columns: Int = 80) -> [String] {
        guard all.indices.contains(number - 1) else { return [] }
        return TerminalText.lines(of: all[number - 1], columns: columns)
    }
}
