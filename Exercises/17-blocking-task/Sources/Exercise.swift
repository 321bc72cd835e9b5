import Foundation
import Lessons

/// Exercise 17. A call with a block, made usable for tasks.
///
/// With a few tasks it works; with many no task continues. Release the thread while the task waits.
struct Exercise: AwaitingExercise {
    init() {}

    func value(
        of call: @escaping @Sendable (_ block: @escaping @Sendable (String) -> Void) -> Void
    ) async -> String {
        let result = Result()
        call { value in
            result.value = value
            result.isReady.signal()
        }
        result.wait()
        return result.value
    }

    private final class Result: @unchecked Sendable {
        // @unchecked because the value is read after the signal alone.
        let isReady = DispatchSemaphore(value: 0)
        var value = ""

        func wait() {
            isReady.wait()
        }
    }
}
