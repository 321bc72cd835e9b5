import Foundation

/// What the check of an exercise says.
public struct Verdict: Sendable {
    /// Which behaviour is missing, and where to look; nil where the exercise is solved.
    public let failure: Words?

    static let solved = Verdict(failure: nil)

    static func missing(_ english: String, _ chinese: String) -> Verdict {
        Verdict(failure: Words(english, chinese))
    }

    /// Whether the exercise is solved.
    public var isSolved: Bool { failure == nil }

    /// One sentence.
    public func text(_ language: Language) -> String {
        failure?.text(language) ?? Words("Solved.", "通过。").text(language)
    }

    /// Prints the sentence, in Chinese where `LANG` asks for it, and ends the program, with 0 where the
    /// exercise is solved.
    public func finish() -> Never {
        print(text(.current(ProcessInfo.processInfo.environment)))
        exit(isSolved ? 0 : 1)
    }
}
