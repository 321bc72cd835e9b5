import Synchronization

/// Whether somebody asks if an operation is ready. A queue that it is in does, and nothing else is seen
/// of a queue of the caller's own.
///
/// Foundation also asks inside each announcement of a change, where a dependency is added or taken away,
/// and inside `cancel`, in a queue or not; that does not count. A queue asks more than once, so none is
/// missed for long.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; two atomics.
struct Askers: ~Copyable {
    private let announcements = Atomic<Int32>(0)
    private let haveAsked = Atomic<Bool>(false)

    /// Whether somebody has asked by himself.
    var areThere: Bool { haveAsked.load(ordering: .acquiring) }

    /// Somebody asks.
    func note() {
        if announcements.load(ordering: .acquiring) == 0 {
            haveAsked.store(true, ordering: .releasing)
        }
    }

    /// Announces a change.
    func announcing(_ announce: () -> Void) {
        announcements.add(1, ordering: .acquiringAndReleasing)
        announce()
        announcements.subtract(1, ordering: .acquiringAndReleasing)
    }
}
