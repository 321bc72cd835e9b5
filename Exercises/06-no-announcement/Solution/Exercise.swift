import Foundation
import Lessons
import SmallPort8Completion
import Synchronization

/// Exercise 6, solved: each change is announced, before and after.
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
        announcements.willChange("isExecuting", of: self)
        isRunning.store(true, ordering: .releasing)
        announcements.didChange("isExecuting", of: self)
        thread.perform { self.end() }
    }

    private func end() {
        announcements.willChange("isExecuting", of: self)
        announcements.willChange("isFinished", of: self)
        isRunning.store(false, ordering: .releasing)
        isOver.store(true, ordering: .releasing)
        announcements.didChange("isExecuting", of: self)
        announcements.didChange("isFinished", of: self)
    }
}
