@testable import Lessons
import SmallPort8Completion
import Synchronization
import TestSupport

extension FalseSolution {
    /// Of the last exercise: each is content with one stage less, or forgets something in a stage.
    static let port = [
        FalseSolution(19, "no lock", refusedBy: "Stage 2 of 4. State 6, the lock: two threads") {
            .of(port: WithoutLock.self)
        },
        FalseSolution(19, "reads under the lock", refusedBy: "reading must not need the lock") {
            .of(port: ReadsUnderLock.self)
        },
        FalseSolution(19, "no cancel", refusedBy: "nothing closed it later") {
            .of(port: WithoutCancel.self)
        },
        FalseSolution(19, "the result wins", refusedBy: "completed with the body `A`") {
            .of(port: ResultWins.self)
        },
        FalseSolution(19, "on the network thread", refusedBy: "Stage 4 of 4. State 8") {
            .of(port: CompletesHere.self)
        },
        FalseSolution(19, "under the lock", refusedBy: "runs while the lock is held") {
            .of(port: CompletesUnderLock.self)
        },
    ]
}

private final class WithoutLock: WrittenPort, @unchecked Sendable {
    override func withLock<Result>(_ body: () -> Result) -> Result { body() }
}

private final class ReadsUnderLock: WrittenPort, @unchecked Sendable {
    override var isFinished: Bool { withLock { super.isFinished } }
}

private final class WithoutCancel: WrittenPort, @unchecked Sendable {
    override func abort() {}
}

private final class ResultWins: WrittenPort, @unchecked Sendable {
    override func result(_ body: String) -> String? { body }
}

private final class CompletesHere: WrittenPort, @unchecked Sendable {
    override func complete(_ result: String?) { completion(result) }
}

/// On its queue, but with the lock held: another thread's `cancel` waits for the block.
private final class CompletesUnderLock: WrittenPort, @unchecked Sendable {
    override func complete(_ result: String?) {
        completionQueue.async { self.withLock { self.completion(result) } }
    }
}

/// The small port's operation, with a method for each step that a reader may get wrong.
private class WrittenPort: Operation, PortExercise, @unchecked Sendable {
    // @unchecked because the state is atomic and changes under `lock`, and the body is the network
    // thread's.
    private let thread: NetworkThread
    private let line: RequestLine
    private let announcements: Announcements
    fileprivate let completionQueue: DispatchQueue
    fileprivate let completion: @Sendable (String?) -> Void
    private let lock = NSRecursiveLock()
    private let current = Atomic(0)
    private var body = ""

    required init(
        on thread: NetworkThread, line: RequestLine, announcements: Announcements,
        completionQueue: DispatchQueue, completion: @escaping @Sendable (String?) -> Void
    ) {
        self.thread = thread
        self.line = line
        self.announcements = announcements
        self.completionQueue = completionQueue
        self.completion = completion
    }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { current.load(ordering: .acquiring) == 1 }
    override var isFinished: Bool { current.load(ordering: .acquiring) == 2 }

    fileprivate func withLock<Result>(_ body: () -> Result) -> Result { lock.withLock(body) }

    override func start() {
        withLock {
            guard current.load(ordering: .acquiring) == 0 else { return }
            if isCancelled { return thread.perform { self.end() } }
            move(to: 1, "isExecuting")
            thread.perform { self.begin() }
        }
    }

    override func cancel() {
        withLock {
            guard !isFinished, !isCancelled else { return }
            super.cancel()
            if isExecuting { abort() }
        }
    }

    fileprivate func abort() {
        thread.perform {
            self.line.close()
            self.end()
        }
    }

    private func move(to next: Int, _ keys: String...) {
        for key in keys { announcements.willChange(key, of: self) }
        current.store(next, ordering: .releasing)
        for key in keys { announcements.didChange(key, of: self) }
    }

    private func begin() {
        line.open { event in
            switch event {
            case .received(let piece): self.body += piece
            case .ended: self.end()
            }
        }
    }

    private func end() {
        let isFirst = withLock {
            guard !isFinished else { return false }
            if isExecuting {
                move(to: 2, "isExecuting", "isFinished")
            } else {
                move(to: 2, "isFinished")
            }
            return true
        }
        if isFirst { complete(result(body)) }
    }

    fileprivate func result(_ body: String) -> String? { isCancelled ? nil : body }

    fileprivate func complete(_ result: String?) {
        completionQueue.async { self.completion(result) }
    }
}
