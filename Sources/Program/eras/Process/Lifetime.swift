import Locking

/// Keeps objects alive until the process ends.
///
/// ## Concurrency
/// Call from: any thread. Lock: `kept`. Calls out: none.
enum Lifetime {
    private static let kept = Locked<[any Sendable]>([])

    static func keep(_ value: some Sendable) {
        kept.withLock { $0.append(value) }
    }
}
