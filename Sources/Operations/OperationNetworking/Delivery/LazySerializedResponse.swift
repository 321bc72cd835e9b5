import CurlConnection
import Foundation
import FoundationNetworking
import Locking

/// The object of a response: the first thread that reads it runs the serializer, other readers wait.
///
/// The serializer runs without a lock. A serializer that reads the object itself, on its own thread, gets nil.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: the caller's thread (the
/// serializer), not under the lock.
struct LazySerializedResponse: Sendable {
    private struct State {
        var progress = Progress.none
        /// Nil until a caller sets one, or reads it: a reader gets an object of its own, because it may modify it.
        var chosen: HTTPResponseSerializer?
        /// For each thread that is inside `withConsistentError`, the result that it read last.
        var given: [ObjectIdentifier: SerializedResponse?] = [:]

        var serializer: HTTPResponseSerializer {
            mutating get {
                let serializer = chosen ?? HTTPResponseSerializer()
                chosen = serializer
                return serializer
            }
        }

        /// - Returns: the thread's previous result, to be released without the lock.
        mutating func note(_ serialized: SerializedResponse) -> SerializedResponse? {
            guard !given.isEmpty, let old = given[.currentThread] else { return nil }
            given[.currentThread] = serialized
            return old
        }
    }

    private enum Progress {
        case none
        /// With the serializer's thread, and those that wait.
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

    /// Setting it discards the previous one's result (HO-17).
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
            // Released without the lock, because their `deinit`s may call this.
            withExtendedLifetime(old) {}
        }
    }

    /// The error, once the object was read (HO-2).
    var error: (any Error)? {
        state.withLock { state in
            if !state.given.isEmpty, let serialized = state.given[.currentThread] ?? nil {
                return serialized.error
            }
            if case .made(let serialized) = state.progress { return serialized.error }
            return nil
        }
    }

    /// Runs a block in which `error` is that of the object that the block has read, even if another thread sets a
    /// serializer meanwhile.
    func withConsistentError(_ body: () -> Void) {
        state.withLock { $0.given[.currentThread] = .some(nil) }
        body()
        let serialized = state.withLock { $0.given.removeValue(forKey: .currentThread) }
        withExtendedLifetime(serialized) {}
    }

    /// The object of a response, made now or before (HO-1).
    ///
    /// - Parameter timed: called if it is made now, with the instants before and after.
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
            // Not stored if another serializer was set meanwhile.
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
