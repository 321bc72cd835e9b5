import Foundation
import Locking
import Synchronization

/// What waits for operations through `Predecessor`s.
protocol DependentObject: AnyObject, Sendable {
    /// Runs what has Foundation hear that a predecessor has ended.
    func announcing(_ announce: () -> Void)
}

/// Stands between an operation, its owner, and one that the owner waits for.
///
/// Foundation on Linux keeps what waits for an operation as a bare pointer, and follows it at the
/// operation's end. It points here: this lives as long as its owner, stops waiting before the owner is
/// released, and ends only while the owner exists.
///
/// It stays in Foundation's list also when its owner waits no more: to take one that has ended from a
/// cancelled operation there makes the count of unfinished ones -1, and then the owner is never ready again.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the reference to the awaited one; one atomic flag. Calls out on:
/// the owner's queue, without the lock.
final class Predecessor: Operation, @unchecked Sendable {
    // @unchecked because it restates the superclass; what it adds guards itself, is atomic, or is a weak
    // reference that is written in `init` alone.
    private let reference: Locked<Operation?>
    private weak var owner: (any DependentObject)?
    private let hasEnded = Atomic<Bool>(false)

    init(_ awaited: Operation, of owner: any DependentObject) {
        reference = Locked(awaited)
        self.owner = owner
        super.init()
        addDependency(awaited)
    }

    /// The one that its owner waits for; nil once the owner waits no more.
    var awaited: Operation? { reference.withLock { $0 } }

    override var isFinished: Bool { hasEnded.load(ordering: .acquiring) }

    /// Asked when the awaited one has ended; then this ends too.
    override var isReady: Bool {
        guard super.isReady else { return false }
        end()
        return true
    }

    /// Stops waiting. It does not end either once its owner is being released.
    func leave() {
        let awaited = reference.withLock { awaited in
            defer { awaited = nil }
            return awaited
        }
        guard let awaited else { return }
        cancel()
        removeDependency(awaited)
    }

    private func end() {
        guard let owner, !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        owner.announcing { didChangeValue(forKey: "isFinished") }
    }
}

extension [Operation] {
    /// What an owner of predecessors waits for.
    var awaited: [Operation] {
        compactMap { operation in
            guard let predecessor = operation as? Predecessor else { return operation }
            return predecessor.awaited
        }
    }

    /// The predecessors of one that is waited for, or all.
    func predecessors(of awaited: Operation? = nil) -> [Predecessor] {
        compactMap { operation in
            guard let predecessor = operation as? Predecessor else { return nil }
            return awaited == nil || predecessor.awaited === awaited ? predecessor : nil
        }
    }
}
