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

    /// Adds itself to a queue, once. Not under the lock, which the thread that starts it would wait
    /// for.
    func enter(_ queue: OperationQueue) {
        guard mayEnter, !wasEntered.exchange(true, ordering: .acquiringAndReleasing) else { return }
        EventRecorder.instant(.enqueued, subject: number)
        let (wasReady, before) = (isReady, stateNow.load(ordering: .acquiring))
        queue.addOperation(self)
        // The queue asks whether it is ready, and then keeps the answer; what is announced in between
        // (a resume, a cancel, the end of a dependency) would be lost. So it is told again.
        guard state == .ready, !wasReady || stateNow.load(ordering: .acquiring) != before else {
            return
        }
        lock.withLock {
            if isReady { didChangeValue(forKey: OperationState.ready.keyPath) }
        }
    }
}
