import Foundation
import Lessons
import SmallPort8Completion
import Synchronization

/// Not final, so that tests can replace a step by a mistake.
class Exercise: Operation, PortExercise, @unchecked Sendable {
    // @unchecked because the state is atomic and changes under `lock`, and the body is the network
    // thread's.
    private enum State: Int, AtomicRepresentable {
        case ready, executing, finished

        var key: String { ["isReady", "isExecuting", "isFinished"][rawValue] }
    }

    private let thread: NetworkThread
    private let line: RequestLine
    private let announcements: Announcements
    let completionQueue: DispatchQueue
    let completion: @Sendable (String?) -> Void
    private let lock = NSRecursiveLock()
    private let current = Atomic(State.ready)
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

    /// Reading takes no lock: a queue reads while it holds one of its own.
    private var state: State { current.load(ordering: .acquiring) }

    override var isAsynchronous: Bool { true }
    override var isReady: Bool { state == .ready && super.isReady }
    override var isExecuting: Bool { state == .executing }
    override var isFinished: Bool { state == .finished }

    func withLock<Result>(_ body: () -> Result) -> Result { lock.withLock(body) }

    override func start() {
        withLock {
            guard state == .ready else { return }
            if isCancelled { return thread.perform { self.end() } }
            move(to: .executing)
            thread.perform { self.begin() }
        }
    }

    override func cancel() {
        withLock {
            guard state != .finished, !isCancelled else { return }
            super.cancel()
            if state == .executing { abort() }
        }
    }

    /// Closes the line behind the job that opens it.
    func abort() {
        thread.perform {
            self.line.close()
            self.end()
        }
    }

    /// Call it under the lock.
    private func move(to next: State) {
        let keys = [next.key, state.key]
        for key in keys { announcements.willChange(key, of: self) }
        current.store(next, ordering: .releasing)
        for key in keys { announcements.didChange(key, of: self) }
    }

    // MARK: On the network thread

    private func begin() {
        line.open { event in
            switch event {
            case .received(let piece): self.body += piece
            case .ended: self.end()
            }
        }
    }

    /// The first end counts.
    private func end() {
        let hasEnded = withLock {
            guard state != .finished else { return false }
            move(to: .finished)
            return true
        }
        if hasEnded { complete(result(body)) }
    }

    /// What was cancelled has no result, even where its body is whole.
    func result(_ body: String) -> String? { isCancelled ? nil : body }

    func complete(_ result: String?) {
        completionQueue.async { self.completion(result) }
    }
}
