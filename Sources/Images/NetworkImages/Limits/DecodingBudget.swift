import Dispatch
import Locking
import Scheduling

/// Limits the bytes that all decoders of the process use at once.
///
/// ## Concurrency
/// Call from: any thread but the network thread; a caller waits while others use the bytes, in the
/// order of the calls. Lock: one around the numbers. Calls out on: the caller's thread, not under
/// the lock.
final class DecodingBudget: Sendable {
    /// As much as one image may take by default.
    static let shared = DecodingBudget(bytes: ImageLimits().maximumDecodedBytes)

    private enum Key {
        case bytes
    }

    private struct State {
        var limiter = Limiter<Key, DispatchSemaphore>(.age, ageing: 0)
        let memory: Limiter<Key, DispatchSemaphore>.Resource
        var waiting = 0

        init() {
            memory = limiter.keptResource(.bytes)
        }
    }

    private let bytes: Int
    private let state = Locked(State())

    init(bytes: Int) {
        self.bytes = bytes
    }

    /// Decodes once that many bytes are free. An image that needs more than the budget has, because its own limits
    /// are wider, is decoded alone.
    func perform<Result>(
        taking asked: Int, _ decode: () throws -> Result
    ) rethrows -> Result {
        let (slot, turn) = state.withLock { state in
            let need = Limiter<Key, DispatchSemaphore>.Need(
                state.memory, atMost: bytes, weight: min(asked, bytes))
            let slot = state.limiter.ask(.init(need), at: 0)
            if slot.isHeld { return (slot, nil as DispatchSemaphore?) }
            slot.waiter = DispatchSemaphore(value: 0)
            state.waiting += 1
            return (slot, slot.waiter)
        }
        turn?.wait()
        defer {
            let next = state.withLock { state in
                let next = state.limiter.leave(slot, at: 0).compactMap(\.waiter)
                state.waiting -= next.count
                return next
            }
            for turn in next { turn.signal() }
        }
        return try decode()
    }

    /// The bytes that no decoder uses.
    var free: Int { bytes - state.withLock { $0.memory.inUse } }
    /// How many callers wait.
    var waiting: Int { state.withLock { $0.waiting } }
}
