import Foundation

/// The result of an exercise's check.
public struct Verdict: Sendable {
    /// Which behaviour is missing, and why; nil where the exercise is solved.
    public let failure: Words?

    /// Why the solution is right; nil where the exercise is not solved.
    public let reason: Words?

    /// A stage of an exercise, from 1 on, and how many it has. Those before it are solved.
    typealias Stage = (number: Int, count: Int)

    /// The stage in which the behaviour is missing; nil where the exercise is solved.
    let stage: Stage?

    static func missing(_ english: String, _ chinese: String, stage: Stage) -> Verdict {
        Verdict(failure: Words(english, chinese), reason: nil, stage: stage)
    }

    /// Whether the exercise is solved.
    public var isSolved: Bool { failure == nil }

    /// What is missing, or that the exercise is solved, and why.
    public func text(_ language: Language) -> String {
        if let failure, let stage {
            let position = Words(
                "Stage \(stage.number) of \(stage.count). ",
                "第 \(stage.number) 步（共 \(stage.count) 步）。")
            return position.text(language) + failure.text(language)
        }
        let reason = reason.map { $0.text(language) } ?? ""
        return Words("Solved. \(reason)", "通过。\(reason)").text(language)
    }

    /// Prints the text, in Chinese where `LANG` asks for it, and exits, with 0 where the exercise is
    /// solved.
    public func finish() -> Never {
        print(text(.current(ProcessInfo.processInfo.environment)))
        exit(isSolved ? 0 : 1)
    }
}
