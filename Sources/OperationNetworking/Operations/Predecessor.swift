import Foundation
import Synchronization

/// Stands between an operation, its owner, and one that the owner waits for.
///
/// Foundation on Linux keeps what waits for an operation as a bare pointer, and follows it at the
/// operation's end. It points here: this lives as long as its owner, stops waiting before the owner is
/// released, and ends only while the owner exists.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; one atomic flag. Calls out on: the owner's queue.
final class Predecessor: Operation, @unchecked Sendable {
    // @unchecked because it restates the superclass; what it adds is constant, atomic or a weak
    // reference that is written in `init` alone.
    let awaited: Operation
    private weak var owner: URLConnectionOperation?
    private let hasEnded = Atomic<Bool>(false)

    init(_ awaited: Operation, of owner: URLConnectionOperation) {
        self.awaited = awaited
        self.owner = owner
        super.init()
        addDependency(awaited)
    }

    override var isFinished: Bool { hasEnded.load(ordering: .acquiring) }

    /// Asked when the awaited one has ended; then this ends too.
    override var isReady: Bool {
        guard super.isReady else { return false }
        end()
        return true
    }

    /// Stops waiting. It does not end either once its owner is being released.
    func leave() {
        cancel()
        removeDependency(awaited)
    }

    private func end() {
        guard let owner, !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        owner.askers.announcing { didChangeValue(forKey: "isFinished") }
    }
}
