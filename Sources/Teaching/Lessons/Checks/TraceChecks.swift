/// What is wrong in a recorded trace of lesson 18.
public enum TraceFault: String, CaseIterable, Sendable {
    /// A block blocks the network thread, so no request makes progress meanwhile.
    case networkThreadIsKept
    /// Something blocks the main thread, so completion blocks run late.
    case mainIsKept
    /// The queue's limit is one, so requests that could run together run one by one.
    case oneAtATime
    /// An operation of the queue never starts.
    case neverStarted
    /// Each request opens a connection of its own.
    case newConnections

    /// The faults of the recorded traces 1 to 5.
    static let recorded: [TraceFault] = [
        .newConnections, .mainIsKept, .neverStarted, .networkThreadIsKept, .oneAtATime,
    ]
}

/// Exercise 18: the faults of five traces.
public protocol TraceExercise {
    /// The fault in each trace, by the trace's number.
    static var answers: [Int: TraceFault] { get }
}

extension Verdict {
    /// Checks exercise 18: says how many of the five are right, and not which.
    public static func of(traces exercise: (some TraceExercise).Type) -> Verdict {
        let answers = exercise.answers
        let open = (1...5).filter { answers[$0] == nil }
        guard open.isEmpty else {
            let numbers = open.map(String.init).joined(separator: ", ")
            return missing(
                "There is no answer yet for trace \(numbers): look at what waits, for how long, and "
                    + "which thread is awake meanwhile.",
                "还没有回答第 \(numbers) 条记录：看谁在等、等了多久、这段时间谁醒着。", stage: (1, 2))
        }
        let right = (1...5).count { answers[$0] == TraceFault.recorded[$0 - 1] }
        guard right < 5 else { return solved(18) }
        let repeated = Set(answers.values).count < 5
        return missing(
            "\(right) of 5 are right." + (repeated ? " Each fault is in one trace." : ""),
            "5 条中答对 \(right) 条。" + (repeated ? "每种错误只出现在一条记录里。" : ""), stage: (2, 2))
    }
}
