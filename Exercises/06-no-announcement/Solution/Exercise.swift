import Foundation
import Lessons
import SmallPort8Completion

/// Exercise 6, solved: each change is announced, before and after.
final class Exercise: Operation, AnnouncementExercise, @unchecked Sendable {
    // @unchecked because the queue starts it once, and one job ends it.
    private let thread: NetworkThread
    private var isRunning = false
    private var isOver = false

    init(on thread: NetworkThread) {
        self.thread = thread
    }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { isRunning }
    override var isFinished: Bool { isOver }

    override func start() {
        willChangeValue(forKey: "isExecuting")
        isRunning = true
        didChangeValue(forKey: "isExecuting")
        thread.perform { self.end() }
    }

    private func end() {
        willChangeValue(forKey: "isExecuting")
        willChangeValue(forKey: "isFinished")
        isRunning = false
        isOver = true
        didChangeValue(forKey: "isExecuting")
        didChangeValue(forKey: "isFinished")
    }
}
