import Dispatch
import Foundation

/// The actions of events that were not performed yet. One thread at a time performs them, in the order of the events.
/// An event that comes meanwhile, from an observer or from another thread, only adds its actions.
struct Outbox {
    /// The actions of one event.
    struct Entry {
        let actions: OperationMachine.Actions
        let thread: NetworkThread
        let modes: Set<RunLoop.Mode>
        /// The number of withdrawals when the event came.
        let withdrawals: UInt32
    }

    /// Nil while no thread performs entries.
    private var waiting: [Entry]?
    private var performer = pthread_self()
    /// Of calls of `start` that wait until the performer has finished.
    private(set) var starts: [DispatchSemaphore] = []
    /// Counts withdrawals of slots: a slot that was requested before one is not used after it.
    private(set) var withdrawals: UInt32 = 0

    /// - Returns: the entry that the caller performs now, and then the `next`; nil where another call performs it.
    mutating func add(
        _ actions: OperationMachine.Actions, _ thread: NetworkThread, _ modes: Set<RunLoop.Mode>
    ) -> Entry? {
        if actions.slot == .withdraw { withdrawals &+= 1 }
        let entry = Entry(
            actions: actions, thread: thread, modes: modes, withdrawals: withdrawals)
        waiting?.append(entry)
        if waiting != nil { return nil }
        waiting = []
        performer = pthread_self()
        return entry
    }

    /// - Parameter starts: where nothing is left, gets the semaphores to signal.
    mutating func next(_ starts: inout [DispatchSemaphore]) -> Entry? {
        if waiting?.isEmpty == false { return waiting?.removeFirst() }
        waiting = nil
        swap(&self.starts, &starts)
        return nil
    }

    /// - Returns: signalled when the other thread that performs entries has finished; nil where there is none, or the
    ///   caller must not wait.
    mutating func otherPerformer(mayWait: @autoclosure () -> Bool) -> DispatchSemaphore? {
        guard waiting != nil, pthread_equal(performer, pthread_self()) == 0, mayWait() else {
            return nil
        }
        let end = DispatchSemaphore(value: 0)
        starts.append(end)
        return end
    }
}
