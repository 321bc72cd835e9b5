import Locking

/// A question to a delegate. It takes the first answer, during the delegate's call or later.
///
/// Further answers, and those after the end of the load, change nothing. A question that is released
/// without an answer tells the connection so.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the answer. Calls out on: the connection's thread.
package final class Decision<Answer>: Sendable {
    private struct State {
        var answer: Answer?
        /// It was answered, or released.
        var isOver = false
        var isAwaited = false
        /// Taken on the connection's thread alone.
        var whenLate: ((Answer?) -> Void)?
    }

    private let state: Locked<State>
    private let crossThreadJobs: CrossThreadJobs

    /// - Parameter whenLate: called on the connection's thread with an answer that came after the
    ///   delegate's call; with nil where the question was released without one.
    init(_ crossThreadJobs: CrossThreadJobs, whenLate: @escaping (Answer?) -> Void) {
        self.crossThreadJobs = crossThreadJobs
        state = Locked(State(whenLate: whenLate))
    }

    deinit {
        give(nil)
    }

    /// Answers. What the answer refers to belongs to the connection from then on.
    package func answer(_ answer: Answer) {
        give(answer)
    }

    /// The answer given during the delegate's call; nil means that it will come late.
    func answerOfTheQuestion() -> Answer? {
        state.withLock { state in
            state.isAwaited = state.answer == nil
            return state.answer
        }
    }

    private func give(_ answer: Answer?) {
        let isLate = state.withLock { state in
            guard !state.isOver else { return false }
            state.isOver = true
            state.answer = answer
            return state.isAwaited
        }
        if isLate {
            crossThreadJobs.perform { [state] _ in
                let (whenLate, answer) = state.withLock { ($0.whenLate.take(), $0.answer.take()) }
                whenLate?(answer)
            }
        }
    }
}
