import Locking
import NetworkImages

/// A sign that memory is short, which a scenario gives.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the block. Calls out on: the thread of `begin`, not under
/// the lock.
final class Shortage: MemoryPressureSource {
    private struct Watch: MemoryPressureWatch {
        func stop() {}
    }

    private let block = Locked<(@Sendable () -> Void)?>(nil)

    func watch(_ onPressure: @escaping @Sendable () -> Void) -> any MemoryPressureWatch {
        block.withLock { $0 = onPressure }
        return Watch()
    }

    func begin() {
        block.withLock { $0 }?()
    }
}
