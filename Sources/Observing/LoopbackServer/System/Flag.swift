import Synchronization

/// A flag that one thread sets and another reads.
///
/// ## Concurrency
/// Call from any thread; it is one atomic value and calls nothing.
final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
