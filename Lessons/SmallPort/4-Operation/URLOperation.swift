public import Foundation
import Synchronization

/// The mistakes of the fourth day.
public enum Mistake: String, CaseIterable, Sendable {
    /// `start` waits for the end: the request is dispatched, and a thread of the queue blocked.
    case startWaits
}

/// State 4: one request as an operation.
///
/// A queue starts it, in its turn and after what it depends on. `start` hands the request to the
/// network thread and returns; the queue's thread is free while the request runs.
public final class URLOperation: Operation, @unchecked Sendable {
    // @unchecked because there is one start and one end, which is not sure yet: see states 5 and 6.
    private let url: URL
    private let thread: NetworkThread
    private let mistake: Mistake?
    private let hasEnded = DispatchSemaphore(value: 0)
    /// The queue's threads read these while the network thread writes them, so they are atomic.
    private let isRunning = Atomic(false)
    private let isOver = Atomic(false)

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

    override public var isAsynchronous: Bool { true }
    override public var isExecuting: Bool { isRunning.load(ordering: .acquiring) }
    override public var isFinished: Bool { isOver.load(ordering: .acquiring) }

    /// Begins. A queue calls this on a thread of its own.
    override public func start() {
        willChangeValue(forKey: "isExecuting")
        isRunning.store(true, ordering: .releasing)
        didChangeValue(forKey: "isExecuting")
        thread.perform { self.begin() }
        if mistake == .startWaits { hasEnded.wait() }
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

    /// The queue frees the place, and starts what waited for this operation.
    private func end(_ error: ConnectionError?) {
        self.error = error
        willChangeValue(forKey: "isExecuting")
        willChangeValue(forKey: "isFinished")
        isRunning.store(false, ordering: .releasing)
        isOver.store(true, ordering: .releasing)
        didChangeValue(forKey: "isExecuting")
        didChangeValue(forKey: "isFinished")
        hasEnded.signal()
    }
}
