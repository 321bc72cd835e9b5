package import Foundation

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
