import Foundation

/// What the check of an exercise says.
public struct Verdict: Sendable {
    /// Which behaviour is missing, and where to look; nil where the exercise is solved.
    public let failure: Words?

    /// Why it is right; nil where the exercise is not solved.
    public let reason: Words?

    static func missing(_ english: String, _ chinese: String) -> Verdict {
        Verdict(failure: Words(english, chinese), reason: nil)
    }

    /// Whether the exercise is solved.
    public var isSolved: Bool { failure == nil }

    /// The sentence; where the exercise is solved, the reason behind it.
    public func text(_ language: Language) -> String {
        if let failure { return failure.text(language) }
        let reason = reason.map { $0.text(language) } ?? ""
        return Words("Solved. \(reason)", "通过。\(reason)").text(language)
    }

    /// Prints the sentence, in Chinese where `LANG` asks for it, and ends the program, with 0 where the
    /// exercise is solved.
    public func finish() -> Never {
        print(text(.current(ProcessInfo.processInfo.environment)))
        exit(isSolved ? 0 : 1)
    }
}
