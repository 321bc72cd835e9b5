import Foundation
import Lessons
import SmallPort8Completion
import Synchronization

/// Exercise 7. Any thread may start the operation, so a lock guards its state.
///
/// `start` never returns. Make it return; and two starts at once must still do the work once.
final class Exercise: Operation, LockExercise, @unchecked Sendable {
    // @unchecked because the state is changed under the lock, and atomic, since any thread may ask.
    private let thread: NetworkThread
    private let work: @Sendable () -> Void
    private let observer: @Sendable (String) -> Void
    private let lock = NSLock()
    private enum State: Int, AtomicRepresentable { case isReady, isExecuting, isFinished }
    private let current = Atomic(State.isReady)

    init(
        on thread: NetworkThread, work: @escaping @Sendable () -> Void,
        observer: @escaping @Sendable (_ key: String) -> Void
    ) {
        self.thread = thread
        self.work = work
        self.observer = observer
    }

    private var state: State { current.load(ordering: .acquiring) }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { state == .isExecuting }
    override var isFinished: Bool { state == .isFinished }

    override func start() {
        lock.withLock {
            guard state == .isReady else { return }
            move(to: .isExecuting)
            thread.perform {
                self.work()
                self.move(to: .isFinished)
            }
        }
    }

    private func move(to next: State) {
        lock.withLock {
            willChangeValue(forKey: "\(next)")
            observer("\(next)")
            current.store(next, ordering: .releasing)
            didChangeValue(forKey: "\(next)")
        }
    }
}
