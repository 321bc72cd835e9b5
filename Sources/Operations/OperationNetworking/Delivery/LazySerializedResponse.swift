import CurlConnection
import Foundation
import FoundationNetworking
import Locking

/// What a serializer made of a response; the first thread that needs it makes it, others wait.
///
/// The serializer runs without a lock, so only another read of the object waits for it (wounds 30,
/// 55). A serializer that reads the object itself, on its own thread, gets none.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: the caller's thread (the
/// serializer), not under the lock.
struct LazySerializedResponse: Sendable {
    private struct State {
        var progress = Progress.none
        /// Nil until one is set, or read by a caller who may change it.
        var chosen: HTTPResponseSerializer?
        /// The response that each thread inside `steadily` was given.
        var given: [ObjectIdentifier: SerializedResponse?] = [:]

        var serializer: HTTPResponseSerializer {
            mutating get {
                let serializer = chosen ?? HTTPResponseSerializer()
                chosen = serializer
                return serializer
            }
        }

        /// - Returns: what the thread was given before, to be released after the lock.
        mutating func note(_ serialized: SerializedResponse) -> SerializedResponse? {
            guard !given.isEmpty, let old = given[.currentThread] else { return nil }
            given[.currentThread] = serialized
            return old
        }
    }

    private enum Progress {
        case none
        /// By a thread; others wait.
        case underWay(ObjectIdentifier, [DispatchSemaphore])
        /// Apart, because one that waits for its end needs no room for it.
        indirect case made(SerializedResponse)

        /// Wakes the threads that wait.
        func end() {
            guard case .underWay(_, let waiting) = self else { return }
            waiting.forEach { $0.signal() }
        }
    }

    private let state: Locked<State>

    init(_ serializer: HTTPResponseSerializer? = nil) {
        state = Locked(State(chosen: serializer))
    }

    /// Setting it forgets what the last one made (HO-17).
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
            // A caller's objects are released after the lock, because their `deinit`s may call this.
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

    /// Runs a block whose thread sees, as `error`, the one that belongs to the object it was given,
    /// also when a serializer was set in between.
    func steadily(_ body: () -> Void) {
        state.withLock { $0.given[.currentThread] = .some(nil) }
        body()
        let serialized = state.withLock { $0.given.removeValue(forKey: .currentThread) }
        withExtendedLifetime(serialized) {}
    }

    /// What the serializer makes of a response, now or before (HO-1).
    ///
    /// - Parameter timed: called where it is made now, with the instants before and after.
    func object(
        of response: URLResponse?, _ data: Data?, timed: (UInt64, UInt64) -> Void = { _, _ in }
    ) -> Any? {
        let serializer: HTTPResponseSerializer
        switch claim() {
        case .made(let serialized): return serialized.object
        case .underWay, .later: return nil
        case .mine(let current): serializer = current
        }
        let start = MonotonicClock.now
        let serialized = serializer.responseObject(for: response, data: data)
        timed(start, MonotonicClock.now)
        let old = state.withLock { state in
            // Replaced meanwhile: then this response is this caller's alone.
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
    /// The thread this runs on.
    fileprivate static var currentThread: ObjectIdentifier { ObjectIdentifier(Thread.current) }
}
