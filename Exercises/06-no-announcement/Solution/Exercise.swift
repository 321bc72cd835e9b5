import Foundation
import Lessons
import SmallPort8Completion
import Synchronization

/// Exercise 6, solved: each change is announced, before and after.
final class Exercise: Operation, AnnouncementExercise, @unchecked Sendable {
    // @unchecked because both flags are atomic: the queue reads them on its own threads.
    private let thread: NetworkThread
    private let isRunning = Atomic(false)
    private let isOver = Atomic(false)

    init(on thread: NetworkThread) {
        self.thread = thread
    }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { isRunning.load(ordering: .acquiring) }
    override var isFinished: Bool { isOver.load(ordering: .acquiring) }

    override func start() {
        willChangeValue(forKey: "isExecuting")
        isRunning.store(true, ordering: .releasing)
        didChangeValue(forKey: "isExecuting")
        thread.perform { self.end() }
    }

    private func end() {
        willChangeValue(forKey: "isExecuting")
        willChangeValue(forKey: "isFinished")
        isRunning.store(false, ordering: .releasing)
        isOver.store(true, ordering: .releasing)
        didChangeValue(forKey: "isExecuting")
        didChangeValue(forKey: "isFinished")
    }
}
