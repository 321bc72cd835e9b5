import Lessons

/// Exercise 17, solved: the task is suspended until the block resumes it.
struct Exercise: AwaitingExercise {
    init() {}

    func value(
        of call: @escaping @Sendable (_ block: @escaping @Sendable (String) -> Void) -> Void
    ) async -> String {
        await withCheckedContinuation { continuation in
            call { continuation.resume(returning: $0) }
        }
    }
}
