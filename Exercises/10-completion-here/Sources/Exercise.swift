import Dispatch
import Foundation
import Lessons
import SmallPort8Completion

/// Exercise 10. Work on the network thread, and then the caller's block.
///
/// A block that waits blocks the network thread and every thread that reads `count`. Make it block its own
/// queue alone.
final class Exercise: CompletionExercise, @unchecked Sendable {
    // @unchecked because the count is under the lock.
    private let thread: NetworkThread
    private let completionQueue: DispatchQueue
    private let lock = NSLock()
    private var asked = 0

    init(on thread: NetworkThread, completionQueue: DispatchQueue) {
        self.thread = thread
        self.completionQueue = completionQueue
    }

    var count: Int { lock.withLock { asked } }

    func fetch(_ completion: @escaping @Sendable () -> Void) {
        thread.perform {
            self.lock.withLock {
                self.asked += 1
                completion()
            }
        }
    }
}
