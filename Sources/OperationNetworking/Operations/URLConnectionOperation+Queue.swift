import EventRecorder
import Foundation
import Synchronization

// How an operation goes into a queue.

extension URLConnectionOperation {
    /// Whether a queue may take it: Foundation stops the process for one that is in a queue, runs or
    /// has ended.
    var mayEnter: Bool {
        !wasEntered.load(ordering: .acquiring)
            && lock.withLock { guarded.run == 0 && state != .finished }
    }

    /// Adds itself to a queue, once. Not under the lock: the thread that starts it would wait for the
    /// lock.
    func enter(_ queue: OperationQueue) {
        guard mayEnter, !wasEntered.exchange(true, ordering: .acquiringAndReleasing) else { return }
        EventRecorder.instant(.enqueued, subject: number)
        noteQueued()
        let (wasReady, before) = (isReady, stateNow.load(ordering: .acquiring))
        queue.addOperation(self)
        // The queue reads `isReady` and stores the value later. An announcement in between (a resume, a
        // cancel, the end of a dependency) would be lost, so it is repeated.
        guard state == .ready, !wasReady || stateNow.load(ordering: .acquiring) != before else {
            return
        }
        lock.withLock {
            if isReady { didChangeValue(forKey: OperationState.ready.keyPath) }
        }
    }
}
