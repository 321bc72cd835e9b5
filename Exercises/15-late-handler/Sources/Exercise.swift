import Foundation
import Lessons

/// Exercise 15. Handlers of a result, which may be added at any time.
///
/// Those that come after the end are never called. Call each one once, whenever it comes, and none
/// while the lock is held.
final class Exercise: LateHandlerExercise, @unchecked Sendable {
    // @unchecked because the list is changed under the lock.
    private let lock = NSLock()
    private var handlers: [@Sendable (String) -> Void] = []

    func add(_ handler: @escaping @Sendable (String) -> Void) {
        lock.withLock { handlers.append(handler) }
    }

    func end(_ result: String) {
        let all = lock.withLock { handlers }
        for handler in all { handler(result) }
    }
}
