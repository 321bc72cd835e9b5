import Foundation
import Lessons
import SmallPort8Completion
import Synchronization

/// Exercise 8, solved: `cancel` is a job for the network thread, which runs after the one that opens the line.
final class Exercise: Operation, CancelExercise, @unchecked Sendable {
    // @unchecked because the state is changed under the lock, and atomic, since any thread may ask;
    // the line is the network thread's.
    private let thread: NetworkThread
    private let line: WatchedLine
    private let lock = NSRecursiveLock()
    private enum State: Int, AtomicRepresentable { case isReady, isExecuting, isFinished }
    private let current = Atomic(State.isReady)

    init(on thread: NetworkThread, line: WatchedLine) {
        self.thread = thread
        self.line = line
    }

    private var state: State { current.load(ordering: .acquiring) }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { state == .isExecuting }
    override var isFinished: Bool { state == .isFinished }

    override func start() {
        move(to: .isExecuting)
        thread.perform { self.line.open() }
    }

    override func cancel() {
        super.cancel()
        thread.perform { self.abort() }
    }

    private func abort() {
        line.close()
        move(to: .isFinished)
    }

    private func move(to next: State) {
        lock.withLock {
            willChangeValue(forKey: "\(next)")
            current.store(next, ordering: .releasing)
            didChangeValue(forKey: "\(next)")
        }
    }
}
