import Locking

/// A block of which only the first call counts.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the block. Calls out on: the caller's thread, without
/// the lock.
final class Once<Value>: Sendable {
    private let block: Locked<(@Sendable (Value) -> Void)?>

    init(_ block: @escaping @Sendable (Value) -> Void) {
        self.block = Locked(block)
    }

    func call(_ value: Value) {
        let block = block.withLock { block in
            defer { block = nil }
            return block
        }
        block?(value)
    }
}
