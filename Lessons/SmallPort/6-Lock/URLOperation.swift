public import Foundation
import Synchronization

/// The mistakes of the sixth day.
public enum Mistake: String, CaseIterable, Sendable {
    /// A lock that its holder cannot take again.
    case plainLock
    /// No lock at all.
    case noLock
    /// Whoever asks for the state takes the lock too.
    case lockedGetter
}

/// State 6: one request as an operation, which any thread may start.
///
/// `start` holds the lock while it moves the state and enqueues the job: both are one step. The
/// move takes the lock too, so that it is safe whoever calls it: the same thread, a second time.
public final class URLOperation: Operation, @unchecked Sendable {
    // @unchecked because what changes is under `lock`, and the state is atomic.
    private let url: URL
    private let thread: NetworkThread
    private let mistake: Mistake?
    private let lock: any NSLocking
    private let current = Atomic(OperationState.ready)
    private var received = Data()
    private var failure: ConnectionError?

    /// Hears each announcement: Foundation on Linux tells the queue alone. Set before the start.
    public var observer: @Sendable (_ key: String, _ isAfter: Bool) -> Void = { _, _ in }

    /// The body so far.
    public var body: Data { lock.withLock { received } }
    /// Why there is no whole body.
    public var error: ConnectionError? { lock.withLock { failure } }

    /// An operation that is ready to start.
    ///
    /// `lock` is one that a picture watches, in place of its own.
    public init(
        _ url: URL, on thread: NetworkThread, mistake: Mistake? = nil, lock: (any NSLocking)? = nil
    ) {
        self.url = url
        self.thread = thread
        self.mistake = mistake
        let own: any NSLocking =
            switch mistake {
            case nil, .lockedGetter: NSRecursiveLock()
            case .plainLock: NSLock()
            case .noLock: NoLock()
            }
        self.lock = lock ?? own
    }

    /// Any thread may ask, so the state is atomic. No lock here: a queue asks while it holds a lock of
    /// its own, which the announcements take while `lock` is held.
    private var state: OperationState {
        if mistake == .lockedGetter { return lock.withLock { current.load(ordering: .acquiring) } }
        return current.load(ordering: .acquiring)
    }

    override public var isAsynchronous: Bool { true }
    override public var isReady: Bool { state == .ready && super.isReady }
    override public var isExecuting: Bool { state == .executing }
    override public var isFinished: Bool { state == .finished }

    /// Begins, once. A queue calls this on a thread of its own.
    override public func start() {
        lock.withLock {
            guard move(to: .executing) else { return }
            thread.perform { self.begin() }
        }
    }

    /// The one place that changes the state; false where the table forbids the move.
    private func move(to next: OperationState) -> Bool {
        lock.withLock {
            guard state.mayBecome(next, isCancelled: isCancelled) else { return false }
            let old = state
            announce(next, old, isAfter: false)
            current.store(next, ordering: .releasing)
            announce(old, next, isAfter: true)
            return true
        }
    }

    private func announce(_ first: OperationState, _ second: OperationState, isAfter: Bool) {
        for key in [first.key, second.key] {
            if isAfter { didChangeValue(forKey: key) } else { willChangeValue(forKey: key) }
            observer(key, isAfter)
        }
    }

    // MARK: On the network thread

    private func begin() {
        let connection = Connection(to: url) { event in
            switch event {
            case .received(let piece): self.lock.withLock { self.received += piece }
            case .ended(let error): self.end(error)
            }
        }
        thread.add(connection)
    }

    private func end(_ error: ConnectionError?) {
        lock.withLock {
            failure = error
            _ = move(to: .finished)
        }
    }
}

private final class NoLock: NSLocking {
    func lock() {}
    func unlock() {}
}
