import Foundation
import Lessons
import SmallPort8Completion

/// Exercise 7, solved: the thread that holds the lock may take it again.
final class Exercise: Operation, LockExercise, @unchecked Sendable {
    // @unchecked because the state is changed under the lock.
    private let thread: NetworkThread
    private let work: @Sendable () -> Void
    private let observer: @Sendable (String) -> Void
    private let lock = NSRecursiveLock()
    private var state = "isReady"

    init(
        on thread: NetworkThread, work: @escaping @Sendable () -> Void,
        observer: @escaping @Sendable (_ key: String) -> Void
    ) {
        self.thread = thread
        self.work = work
        self.observer = observer
    }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { state == "isExecuting" }
    override var isFinished: Bool { state == "isFinished" }

    override func start() {
        lock.withLock {
            guard state == "isReady" else { return }
            move(to: "isExecuting")
            thread.perform {
                self.work()
                self.move(to: "isFinished")
            }
        }
    }

    private func move(to key: String) {
        lock.withLock {
            willChangeValue(forKey: key)
            observer(key)
            state = key
            didChangeValue(forKey: key)
        }
    }
}
