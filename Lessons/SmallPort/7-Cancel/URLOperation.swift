public import Foundation
import Synchronization

/// The mistakes of the seventh day.
public enum Mistake: String, CaseIterable, Sendable {
    /// `cancel` closes the connection itself, on the thread of whoever calls it.
    case cancelHere
    /// `cancel` closes the connection, and that is all.
    case cancelTellsNobody
    /// A body that was whole before `cancel` reached the network thread is a success.
    case resultWins
}

/// State 7: one request as an operation, which any thread may start and cancel.
///
/// The connection is the network thread's, so `cancel` is a message to that thread. It comes behind
/// the message to begin, whatever the caller's thread does in between.
public final class URLOperation: Operation, @unchecked Sendable {
    // @unchecked because what changes is under `lock`, the state is atomic, and the connection is
    // the network thread's.
    private let url: URL
    private let thread: NetworkThread
    private let mistake: Mistake?
    private let lock = NSRecursiveLock()
    private let current = Atomic(OperationState.ready)
    private var received = Data()
    private var failure: ConnectionError?
    private var connection: Connection?

    /// Hears each announcement: Foundation on Linux tells the queue alone. Set before the start.
    public var observer: @Sendable (_ key: String, _ isAfter: Bool) -> Void = { _, _ in }
    /// Hears of each piece of the body, on the network thread. Set before the start.
    public var progress: @Sendable (_ piece: Data) -> Void = { _ in }

    /// The body so far.
    public var body: Data { lock.withLock { received } }
    /// Why there is no whole body.
    public var error: ConnectionError? { lock.withLock { failure } }

    /// An operation that is ready to start.
    public init(_ url: URL, on thread: NetworkThread, mistake: Mistake? = nil) {
        self.url = url
        self.thread = thread
        self.mistake = mistake
    }

    /// Atomic, since any thread may ask; without `lock`, since a queue asks with one of its own held.
    private var state: OperationState { current.load(ordering: .acquiring) }

    override public var isAsynchronous: Bool { true }
    override public var isReady: Bool { state == .ready && super.isReady }
    override public var isExecuting: Bool { state == .executing }
    override public var isFinished: Bool { state == .finished }

    /// Begins, once; a cancelled operation ends. A queue calls this on a thread of its own.
    override public func start() {
        lock.withLock {
            if isCancelled { return end(.cancelled) }
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
            if mistake == .cancelHere { abort() } else { thread.perform { self.abort() } }
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
        connection = nil
        if mistake != .cancelTellsNobody { end(.cancelled) }
    }

    private func take(_ piece: Data) {
        lock.withLock { received += piece }
        progress(piece)
    }

    private func end(_ error: ConnectionError?) {
        connection = nil
        lock.withLock {
            guard state != .finished else { return }
            // The caller was promised that there is no result, whoever comes first here.
            failure = isCancelled && mistake != .resultWins ? .cancelled : error
            _ = move(to: .finished)
        }
    }
}
