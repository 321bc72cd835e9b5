import Foundation
import Lessons
import SmallPort8Completion
import Synchronization

/// Exercise 6. An asynchronous operation: its work is a job on the network thread.
///
/// It finishes, and what depends on it never starts. Notify the queue by `announcements`, which calls
/// `willChangeValue(forKey:)` and `didChangeValue(forKey:)`.
final class Exercise: Operation, AnnouncementExercise, @unchecked Sendable {
    // @unchecked because both flags are atomic: the queue reads them on its own threads.
    private let thread: NetworkThread
    private let announcements: Announcements
    private let isRunning = Atomic(false)
    private let isOver = Atomic(false)

    init(on thread: NetworkThread, announcements: Announcements) {
        self.thread = thread
        self.announcements = announcements
    }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { isRunning.load(ordering: .acquiring) }
    override var isFinished: Bool { isOver.load(ordering: .acquiring) }

    override func start() {
        isRunning.store(true, ordering: .releasing)
        thread.perform { self.end() }
    }

    private func end() {
        isRunning.store(false, ordering: .releasing)
        isOver.store(true, ordering: .releasing)
    }
}
