import Dispatch
import Foundation
import Locking
import Scheduling

/// A queue of the actions that follow from an operation's events, such as `start` and `cancel`. One thread at a time
/// performs them, in the order of the events. If an event occurs meanwhile, in an observer's code or on another thread,
/// its actions are only added.
struct Outbox {
    /// The actions of one event.
    struct Entry {
        let actions: OperationMachine.Actions
        let thread: NetworkThread
        let modes: Set<RunLoop.Mode>
        /// The `withdrawals` when the event occurred.
        let withdrawals: UInt32
    }

    /// Whether the current thread performs the entries of any operation.
    static let isPerforming = ThreadMark()

    /// The entries that a thread will perform after its present one; nil while no thread performs entries.
    private var waiting: FIFOQueue<Entry>?
    /// The thread that performs entries.
    private var performer = pthread_self()
    /// The semaphores of calls of `start` that wait until the performer has finished.
    private(set) var starts: [DispatchSemaphore] = []
    /// How often a request for a slot was withdrawn. A slot that was requested before the last withdrawal is not used.
    private(set) var withdrawals: UInt32 = 0

    /// Adds the actions of an event.
    ///
    /// - Returns: the entry, if the caller must perform it, and after it each entry that `next` returns. Nil if another
    ///   call performs entries already, which will perform this one too.
    mutating func add(
        _ actions: OperationMachine.Actions, _ thread: NetworkThread, _ modes: Set<RunLoop.Mode>
    ) -> Entry? {
        if actions.slot == .withdraw { withdrawals &+= 1 }
        let entry = Entry(
            actions: actions, thread: thread, modes: modes, withdrawals: withdrawals)
        waiting?.append(entry)
        if waiting != nil { return nil }
        waiting = FIFOQueue()
        performer = pthread_self()
        return entry
    }

    /// Removes the next entry.
    ///
    /// - Parameter starts: gets the semaphores that the caller must signal, if there is no entry.
    /// - Returns: nil if there is no entry; the caller then performs entries no longer.
    mutating func next(_ starts: inout [DispatchSemaphore]) -> Entry? {
        if let entry = waiting?.popFirst() { return entry }
        waiting = nil
        swap(&self.starts, &starts)
        return nil
    }

    /// Makes a semaphore that is signalled when another thread has performed all entries.
    ///
    /// - Returns: nil if no other thread performs entries, or if the caller may not wait.
    mutating func otherPerformer(mayWait: @autoclosure () -> Bool) -> DispatchSemaphore? {
        guard waiting != nil, pthread_equal(performer, pthread_self()) == 0, mayWait() else {
            return nil
        }
        let end = DispatchSemaphore(value: 0)
        starts.append(end)
        return end
    }
}
