import CurlConnection
import Foundation
import FoundationNetworking
import Locking

/// The object that the serializer makes of a response. The first thread that reads it runs the serializer, and other
/// threads that read it wait.
///
/// If the serializer itself reads the object on the same thread, it gets nil.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: the thread that reads the
/// object, where it calls the serializer, not under the lock.
struct LazySerializedResponse: Sendable {
    private struct State {
        var progress = Progress.none
        /// Nil until a caller sets or reads it, or until the serializer runs. A manager gives all its operations the
        /// same object. Otherwise each operation has one of its own, because the caller may modify it.
        var chosen: HTTPResponseSerializer?
        /// For each thread that runs `withConsistentError`: the result that it read last.
        var lastRead: [ObjectIdentifier: SerializedResponse?] = [:]

        var serializer: HTTPResponseSerializer {
            mutating get {
                let serializer = chosen ?? HTTPResponseSerializer()
                chosen = serializer
                return serializer
            }
        }

        /// Stores what the current thread reads, if it runs `withConsistentError`.
        ///
        /// - Returns: the thread's previous result, to be released without the lock.
        mutating func note(_ serialized: SerializedResponse) -> SerializedResponse? {
            guard !lastRead.isEmpty, let old = lastRead[.currentThread] else { return nil }
            lastRead[.currentThread] = serialized
            return old
        }
    }

    private enum Progress {
        case none
        /// The thread that runs the serializer, and a semaphore for each thread that waits.
        case underWay(ObjectIdentifier, [DispatchSemaphore])
        /// Indirect, so that operations without a result stay small.
        indirect case made(SerializedResponse)

        /// Wakes the waiting threads.
        func end() {
            guard case .underWay(_, let waiting) = self else { return }
            waiting.forEach { $0.signal() }
        }
    }

    private let state: Locked<State>

    init(_ serializer: HTTPResponseSerializer? = nil) {
        state = Locked(State(chosen: serializer))
    }

    /// Setting it discards the object that was made, also if it is set to the same serializer again.
    var serializer: HTTPResponseSerializer {
        get { state.withLock { $0.serializer } }
        nonmutating set {
            let old = state.withLock { state in
                defer {
                    state.chosen = newValue
                    state.progress.end()
                    state.progress = .none
                }
                return (state.chosen, state.progress)
            }
            // Released without the lock, because the `deinit` of a caller's object may call this.
            withExtendedLifetime(old) {}
        }
    }

    /// The serializer's error. Nil before the object was read: this does not run the serializer.
    var error: (any Error)? {
        state.withLock { state in
            if !state.lastRead.isEmpty, let serialized = state.lastRead[.currentThread] ?? nil {
                return serialized.error
            }
            if case .made(let serialized) = state.progress { return serialized.error }
            return nil
        }
    }

    /// Runs a block. In it, `error` belongs to the object that the block has read, even if another thread sets another
    /// serializer in the meantime.
    func withConsistentError(_ body: () -> Void) {
        state.withLock { $0.lastRead[.currentThread] = .some(nil) }
        body()
        let serialized = state.withLock { $0.lastRead.removeValue(forKey: .currentThread) }
        withExtendedLifetime(serialized) {}
    }

    /// Returns the object, and runs the serializer if it has not run yet.
    ///
    /// - Parameter timed: called after the serializer has run, with the times before and after that, in nanoseconds of
    ///   `MonotonicClock`.
    func object(
        of response: URLResponse?, _ data: Data?, timed: (UInt64, UInt64) -> Void = { _, _ in }
    ) -> Any? {
        let serializer: HTTPResponseSerializer
        switch claim() {
        case .made(let serialized): return serialized.object
        case .underWay, .later: return nil
        case .mine(let current): serializer = current
        }
        HeldLocks.assertNone()
        let start = MonotonicClock.now
        let serialized = serializer.responseObject(for: response, data: data)
        timed(start, MonotonicClock.now)
        let old = state.withLock { state in
            // Not stored if a serializer was set in the meantime, even the same one.
            if state.chosen === serializer, case .underWay(.currentThread, _) = state.progress {
                state.progress.end()
                state.progress = .made(serialized)
            }
            return state.note(serialized)
        }
        withExtendedLifetime(old) {}
        return serialized.object
    }

    private enum Claim {
        case mine(HTTPResponseSerializer)
        case underWay
        case made(SerializedResponse)
        case later(DispatchSemaphore)
    }

    private func claim() -> Claim {
        while true {
            let (claim, old): (Claim, SerializedResponse?) = state.withLock { state in
                switch state.progress {
                case .none:
                    state.progress = .underWay(.currentThread, [])
                    return (.mine(state.serializer), nil)
                case .made(let serialized):
                    return (.made(serialized), state.note(serialized))
                case .underWay(.currentThread, _):
                    return (.underWay, nil)
                case .underWay(let thread, let waiting):
                    let turn = DispatchSemaphore(value: 0)
                    state.progress = .underWay(thread, waiting + [turn])
                    return (.later(turn), nil)
                }
            }
            withExtendedLifetime(old) {}
            guard case .later(let turn) = claim else { return claim }
            turn.wait()
        }
    }
}

extension ObjectIdentifier {
    fileprivate static var currentThread: ObjectIdentifier { ObjectIdentifier(Thread.current) }
}
