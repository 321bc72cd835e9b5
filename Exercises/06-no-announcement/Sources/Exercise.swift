import Foundation
import Lessons
import SmallPort8Completion

/// Exercise 6. An asynchronous operation: its work is a job on the network thread.
///
/// It finishes, and what depends on it never starts. Make the queue hear of it.
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
        isRunning = true
        thread.perform { self.end() }
    }

    private func end() {
        isRunning = false
        isOver = true
    }
}
