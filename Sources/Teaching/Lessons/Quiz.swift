import Foundation

/// A statement of the quiz, which is true or false, with the reason.
public struct QuizQuestion: Sendable {
    /// The lesson whose experiment shows the answer.
    public let lesson: Int
    /// Whether the statement is true.
    public let isTrue: Bool
    /// The statement.
    public let statement: Words
    /// Why it is true or false.
    public let reason: Words

    private struct Coded: Decodable {
        let lesson: Int
        let isTrue: Bool
        let statement: [String: String]
        let reason: [String: String]
    }

    /// Reads the statements from `quiz.json`.
    ///
    /// - Throws: `DecodingError` if the file lacks a property or a language.
    public static func all() throws -> [QuizQuestion] {
        try read(Data(PackageResources.quiz_json))
    }

    static func read(_ data: Data) throws -> [QuizQuestion] {
        try JSONDecoder().decode([Coded].self, from: data).map { coded in
            QuizQuestion(
                lesson: coded.lesson, isTrue: coded.isTrue, statement: try words(coded.statement),
                reason: try words(coded.reason))
        }
    }

    private static func words(_ texts: [String: String]) throws -> Words {
        func text(_ language: Language) throws -> String {
            if let text = texts[language.rawValue], !text.isEmpty { return text }
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: [], debugDescription: "A text in \(language.rawValue) is missing."))
        }
        return Words(try text(.english), try text(.simplifiedChinese))
    }
}
