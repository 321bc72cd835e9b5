import Foundation
import Lessons
import SmallPort8Completion
import Synchronization

/// The last exercise: the small port's operation, from state 4 on.
///
/// It starts a request and collects its body, and that is all. Write the versions 5 to 8, one after the
/// other: the check says in which stage something is missing. `Lessons/SmallPort` has them all, but try
/// first.
final class Exercise: Operation, PortExercise, @unchecked Sendable {
    // @unchecked because both flags are atomic, and the body is the network thread's.
    private let thread: NetworkThread
    private let line: RequestLine
    private let announcements: Announcements
    private let completionQueue: DispatchQueue
    private let completion: @Sendable (String?) -> Void
    private let isRunning = Atomic(false)
    private let isOver = Atomic(false)
    private var body = ""

    init(
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
    override var isExecuting: Bool { isRunning.load(ordering: .acquiring) }
    override var isFinished: Bool { isOver.load(ordering: .acquiring) }

    override func start() {
        isRunning.store(true, ordering: .releasing)
        thread.perform { self.begin() }
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

    private func end() {
        isRunning.store(false, ordering: .releasing)
        isOver.store(true, ordering: .releasing)
        completion(body)
    }
}
