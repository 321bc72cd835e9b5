import EraLessons
import Foundation
import Lessons

/// Writes the generated parts of the lessons' documents: sources, measured tables, and the Swift file
/// with the texts.
struct LessonDocuments {
    /// The checkout.
    let root: URL
    /// Whether files are only compared.
    let isCheck: Bool

    /// - Returns: the files that differed.
    /// - Throws: Foundation's error where a file cannot be read or written; `DiskError`.
    func update() throws -> [String] {
        var changed: [String] = []
        for lesson in Course.lessons {
            let result = try Self.measure(lesson)
            for language in Language.allCases {
                let file = LessonText.file(of: lesson, in: language, root: root)
                let old = try String(contentsOf: file, encoding: .utf8)
                let new = Self.fill(SourceExcerpt.fill(old, in: root), result, language)
                // A table that differs only in values that may vary is not replaced.
                let isSame =
                    Self.lasting(old, result, language) == Self.lasting(new, result, language)
                guard !isSame else { continue }
                changed.append(file.path)
                if !isCheck { try NewFile(file.path).save(Data(new.utf8)) }
            }
        }
        let texts = root.appendingPathComponent(TextSource.path)
        let source = TextSource.source(try TextSource.texts(in: root))
        if source != (try? String(contentsOf: texts, encoding: .utf8)) {
            changed.append(texts.path)
            if !isCheck { try NewFile(texts.path).save(Data(source.utf8)) }
        }
        return changed
    }

    private static func measure(_ lesson: Lesson) throws -> ExperimentResult {
        switch ExperimentProcess(lesson: lesson.number).run() {
        case .result(let result): return result
        case .failed(let reason):
            throw LessonError.noResult("\(lesson.number): \(reason)")
        }
    }

    static let begin = "<!-- begin: measured -->"
    static let end = "<!-- end -->"

    /// Replaces the table in a text by a run's.
    static func fill(_ text: String, _ result: ExperimentResult, _ language: Language) -> String {
        guard let start = text.range(of: begin + "\n"),
            let stop = text.range(of: end, range: start.upperBound..<text.endIndex)
        else { return text }
        return text[..<start.upperBound] + result.table(in: language) + "\n"
            + text[stop.lowerBound...]
    }

    /// A text without the values that may vary between runs.
    static func lasting(
        _ text: String, _ result: ExperimentResult, _ language: Language
    ) -> String {
        let varying = result.facts.filter(\.varies).map { "| \($0.what.text(language)) |" }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            varying.first { line.hasPrefix($0) } ?? String(line)
        }.joined(separator: "\n")
    }
}

/// Why a lesson's table could not be measured.
enum LessonError: Error, CustomStringConvertible {
    case noResult(String)

    var description: String {
        switch self {
        case .noResult(let reason): "The experiment of lesson \(reason)."
        }
    }
}
