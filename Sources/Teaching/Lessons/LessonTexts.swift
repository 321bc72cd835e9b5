package import Foundation

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

/// Writes the lessons' texts as a Swift file, so that an installed program has them.
package enum TextSource {
    /// Relative to the checkout.
    package static let path = "Sources/Teaching/Lessons/LessonTexts+All.swift"

    /// The texts of a checkout by key: `en/07-recursive-lock` for a lesson, and
    /// `en/hints/07-plain-lock` for the hints of an exercise.
    ///
    /// - Throws: Foundation's error where a folder cannot be read.
    package static func texts(in root: URL) throws -> [String: String] {
        let files = FileManager.default
        var texts: [String: String] = [:]
        for language in Language.allCases {
            let folder = root.appendingPathComponent("Documentation/Lessons/\(language.rawValue)")
            for name in try files.contentsOfDirectory(atPath: folder.path)
            where name.hasSuffix(".md") && name.first?.isNumber == true {
                let file = folder.appendingPathComponent(name)
                texts["\(language.rawValue)/\(name.dropLast(3))"] = try String(
                    contentsOf: file, encoding: .utf8)
            }
            let exercises = root.appendingPathComponent("Exercises")
            for name in try files.contentsOfDirectory(atPath: exercises.path)
            where name.first?.isNumber == true {
                let file = exercises.appendingPathComponent("\(name)/\(Hints.fileName(language))")
                texts["\(language.rawValue)/hints/\(name)"] = try? String(
                    contentsOf: file, encoding: .utf8)
            }
        }
        return texts
    }

    /// The Swift file: one line a text, sorted by key.
    package static func source(_ texts: [String: String]) -> String {
        let lines = texts.sorted { $0.key < $1.key }.map { key, text in
            "        \(key.debugDescription): \(text.debugDescription),\n"
        }
        return """
            // swift-format-ignore-file
            // Made by scripts/update-documentation from Documentation/Lessons and Exercises.

            extension LessonTexts {
                static let all: [String: String] = [
            \(lines.joined())    ]
            }

            """
    }
}
