public import Foundation
import Synchronization

/// The mistakes of the eighth day.
public enum Mistake: String, CaseIterable, Sendable {
    /// The pieces of a body are called back on a queue of width 8.
    case width8
    /// The completion runs on the network thread.
    case completionHere
    /// The completion runs while the operation's lock is held.
    case completionUnderLock
}

/// State 8: one request as an operation that says how it ended, once, where it was asked to.
///
/// No caller's block runs under the lock, and none on the network thread: a block that waits holds
/// up its own queue alone.
public final class URLOperation: Operation, @unchecked Sendable {
    // @unchecked because what changes is under `lock`, the state is atomic, and the connection is
    // the network thread's.
    private let url: URL
    private let thread: NetworkThread
    private let mistake: Mistake?
    private let lock: any NSLocking
    private let current = Atomic(OperationState.ready)
    private var received = Data()
    private var failure: ConnectionError?
    private var connection: Connection?
    private var completion: (@Sendable (Result<Data, ConnectionError>) -> Void)?
    /// Where the caller's blocks run: one after the other, in the order of what they tell.
    private let callbacks = OperationQueue()

    /// Hears each announcement: Foundation on Linux tells the queue alone. Set before the start.
    public var observer: @Sendable (_ key: String, _ isAfter: Bool) -> Void = { _, _ in }
    /// Hears of each piece of the body, before the completion. Set before the start.
    public var progress: @Sendable (_ piece: Data) -> Void = { _ in }

    /// An operation that is ready to start; `lock` is one that a picture watches in place of its own.
    /// `completion` is called once: after the end, or never where the operation is never started.
    public init(
        _ url: URL, on thread: NetworkThread, mistake: Mistake? = nil,
        lock: any NSLocking = NSRecursiveLock(),
        completion: (@Sendable (Result<Data, ConnectionError>) -> Void)? = nil
    ) {
        self.url = url
        self.thread = thread
        self.mistake = mistake
        self.lock = lock
        self.completion = completion
        callbacks.maxConcurrentOperationCount = mistake == .width8 ? 8 : 1
    }

    /// The body so far.
    public var body: Data { lock.withLock { received } }
    /// Why there is no whole body.
    public var error: ConnectionError? { lock.withLock { failure } }

    /// Atomic, since any thread may ask; without `lock`, since a queue asks with one of its own held.
    private var state: OperationState { current.load(ordering: .acquiring) }

    override public var isAsynchronous: Bool { true }
    override public var isReady: Bool { state == .ready && super.isReady }
    override public var isExecuting: Bool { state == .executing }
    override public var isFinished: Bool { state == .finished }

    /// Begins, once; a cancelled operation ends. A queue calls this on a thread of its own.
    override public func start() {
        lock.withLock {
            if isCancelled { return thread.perform { self.end(.cancelled) } }
            guard move(to: .executing) else { return }
            thread.perform { self.begin() }
        }
    }

    /// Ends the operation soon, without a result. One that was not started ends when it is.
    override public func cancel() {
        lock.withLock {
            guard state != .finished, !isCancelled else { return }
            super.cancel()
            guard state == .executing else { return }
            thread.perform { self.abort() }
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
            case .received(let piece): self.take(piece)
            case .ended(let error): self.end(error)
            }
        }
        self.connection = connection
        thread.add(connection)
    }

    private func abort() {
        if let connection { thread.remove(connection) }
        end(.cancelled)
    }

    private func take(_ piece: Data) {
        lock.withLock { received += piece }
        let progress = progress
        callbacks.addOperation { progress(piece) }
    }

    /// Only the first call counts, since a cancel may come together with the last byte. A cancelled operation fails.
    private func end(_ error: ConnectionError?) {
        connection = nil
        lock.withLock {
            guard state != .finished else { return }
            failure = isCancelled ? .cancelled : error
            _ = move(to: .finished)
            if mistake == .completionUnderLock { complete() }
        }
        if mistake == .completionHere { complete() } else { callbacks.addOperation(complete) }
    }

    /// Takes the completion out under the lock, so that it runs once, and then calls it; see `completionUnderLock`.
    @Sendable private func complete() {
        let completion = lock.withLock {
            defer { self.completion = nil }
            return self.completion
        }
        completion?(error.map { .failure($0) } ?? .success(body))
    }
}
