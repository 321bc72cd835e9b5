import Dispatch
import Locking

/// How many bytes all decoders of the process may take at once.
///
/// ## Concurrency
/// Call from: any thread but the network thread; a caller waits while others use the bytes, in the
/// order of the calls. Lock: one around the numbers. Calls out on: the caller's thread, not under
/// the lock.
final class DecodingBudget: Sendable {
    /// As much as one image may take by default.
    static let shared = DecodingBudget(bytes: ImageLimits().maximumDecodedBytes)

    private struct Waiter {
        let bytes: Int
        let turn = DispatchSemaphore(value: 0)
    }

    private struct State {
        var free: Int
        /// The first that waits is the last element.
        var waiting: [Waiter] = []

        /// Those that can go on now.
        mutating func next() -> [Waiter] {
            var next: [Waiter] = []
            while let waiter = waiting.last, waiter.bytes <= free {
                waiting.removeLast()
                free -= waiter.bytes
                next.append(waiter)
            }
            return next
        }
    }

    private let bytes: Int
    private let state: Locked<State>

    init(bytes: Int) {
        self.bytes = bytes
        state = Locked(State(free: bytes))
    }

    /// Decodes once so many bytes are free. An image that asks for more than there are, because its
    /// own limits are wider, runs alone.
    func perform<Result>(
        taking asked: Int, _ decode: () throws -> Result
    ) rethrows -> Result {
        let taken = min(asked, bytes)
        let waiter: Waiter? = state.withLock { state in
            if state.waiting.isEmpty, taken <= state.free {
                state.free -= taken
                return nil
            }
            let waiter = Waiter(bytes: taken)
            state.waiting.insert(waiter, at: 0)
            return waiter
        }
        waiter?.turn.wait()
        defer {
            let next = state.withLock { state in
                state.free += taken
                return state.next()
            }
            for waiter in next { waiter.turn.signal() }
        }
        return try decode()
    }

    /// How many bytes nobody uses.
    var free: Int { state.withLock { $0.free } }
    /// How many callers wait.
    var waiting: Int { state.withLock { $0.waiting.count } }
}
