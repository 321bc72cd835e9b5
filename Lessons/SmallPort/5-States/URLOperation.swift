public import Foundation
import Synchronization

/// The mistakes of the fifth day.
public enum Mistake: String, CaseIterable, Sendable {
    /// The state changes, and no observer is notified.
    case noAnnouncement
    /// Every move is allowed.
    case anyMove
}

/// State 5: one request as an operation, with one state instead of two flags.
///
/// One function changes the state. It asks the table, and it announces: before and after the change,
/// for the old state's key and the new one's. By these announcements a queue decides when to start
/// what depends on the operation, and when to let go of it.
public final class URLOperation: Operation, @unchecked Sendable {
    // @unchecked because one thread at a time moves it, which is not sure yet: see state 6.
    private let url: URL
    private let thread: NetworkThread
    private let mistake: Mistake?
    private let current = Atomic(OperationState.ready)

    /// The body so far.
    public private(set) var body = Data()
    /// Why there is no whole body.
    public private(set) var error: ConnectionError?

    /// An operation that is ready to start.
    public init(_ url: URL, on thread: NetworkThread, mistake: Mistake? = nil) {
        self.url = url
        self.thread = thread
        self.mistake = mistake
    }

    /// Any thread may ask, also in the middle of a move, so the state is atomic.
    private var state: OperationState { current.load(ordering: .acquiring) }

    override public var isAsynchronous: Bool { true }
    override public var isReady: Bool { state == .ready && super.isReady }
    override public var isExecuting: Bool { state == .executing }
    override public var isFinished: Bool { state == .finished }

    /// Begins, once. A queue calls this on a thread of its own.
    override public func start() {
        guard move(to: .executing) else { return }
        thread.perform { self.begin() }
    }

    /// The one place that changes the state; false where the table forbids the move.
    private func move(to next: OperationState) -> Bool {
        guard mistake == .anyMove || state.mayBecome(next, isCancelled: isCancelled) else {
            return false
        }
        let old = state
        if mistake == .noAnnouncement {
            current.store(next, ordering: .releasing)
            return true
        }
        willChangeValue(forKey: next.key)
        willChangeValue(forKey: old.key)
        current.store(next, ordering: .releasing)
        didChangeValue(forKey: old.key)
        didChangeValue(forKey: next.key)
        return true
    }

    // MARK: On the network thread

    private func begin() {
        let connection = Connection(to: url) { event in
            switch event {
            case .received(let piece): self.body += piece
            case .ended(let error): self.end(error)
            }
        }
        thread.add(connection)
    }

    private func end(_ error: ConnectionError?) {
        self.error = error
        _ = move(to: .finished)
    }
}
