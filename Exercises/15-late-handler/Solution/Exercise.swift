import Foundation
import Lessons

/// Exercise 15, solved: a queue that is suspended until the end. All handlers go the same way.
final class Exercise: LateHandlerExercise, @unchecked Sendable {
    // @unchecked because the result is set before the queue opens, and not changed afterwards.
    private let queue = OperationQueue()
    private var result = ""

    init() {
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
    }

    func add(_ handler: @escaping @Sendable (String) -> Void) {
        queue.addOperation { handler(self.result) }
    }

    func end(_ result: String) {
        self.result = result
        queue.isSuspended = false
    }
}
