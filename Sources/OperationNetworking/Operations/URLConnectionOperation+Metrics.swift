public import CurlConnection
import EventRecorder
import Foundation
import Synchronization

// The times of an operation: of its runs, and of what is before and after them.

extension URLConnectionOperation {
    /// The times of all runs that have ended or were paused, and of the queue, the serializer and the
    /// block; nil before the first of them.
    ///
    /// From any thread. A copy has none of its own, and an archive holds none.
    public var metrics: RequestMetrics? {
        let metrics = lock.withLock { withQueue(guarded.metrics) }
        return metrics.instants.responseCompleted == 0 ? nil : metrics
    }

    /// With the instant at which it was queued, which is atomic.
    private func withQueue(_ metrics: RequestMetrics) -> RequestMetrics {
        var metrics = metrics
        let queued = queuedAt.load(ordering: .relaxed)
        // Who asks a running operation whether it is ready is no queue.
        let started = metrics.instants.started
        metrics.instants.queued = started == 0 || queued <= started ? queued : 0
        return metrics
    }

    /// It was put into a queue, or may start again after a pause.
    func noteQueued() {
        queuedAt.store(MonotonicClock.now, ordering: .relaxed)
    }

    /// Somebody asks whether it is ready: of a queue of the caller's own nothing else is seen.
    func noteAsked() {
        if queuedAt.load(ordering: .relaxed) == 0 { noteQueued() }
    }

    /// The lock is held.
    func noteTime(of state: OperationState) {
        guard guarded.metrics.instants.started == 0 else { return }
        switch state {
        case .ready: noteQueued()
        case .executing: guarded.metrics.instants.started = MonotonicClock.now
        case .paused, .finished: break
        }
    }

    /// A run has ended: its connection's times count. For the network thread; the lock is held.
    ///
    /// - Parameter connection: nil where the operation ends without one.
    func keepTimes(of connection: URLConnection?) {
        if let run = connection?.metrics {
            guarded.metrics.append(run)
        } else {
            let now = MonotonicClock.now
            guarded.metrics.instants.responseCompleted = now
            guarded.metrics.readClock(at: now)
        }
    }

    func noteSerialization(from start: UInt64, to end: UInt64) {
        lock.withLock {
            guard guarded.metrics.instants.serialized == 0 else { return }
            guarded.metrics.instants.serializationStarted = start
            guarded.metrics.instants.serialized = end
        }
    }

    /// The completion block is about to be called, on its queue. The block for the times goes first.
    func callsBack() {
        let told = lock.withLock { () -> (Blocks.Metrics, RequestMetrics)? in
            // A caller may call the block itself, before the end.
            guard state == .finished else { return nil }
            if guarded.metrics.instants.calledBack == 0 {
                guarded.metrics.instants.calledBack = MonotonicClock.now
            }
            guard let block = guarded.blocks.metrics else { return nil }
            guarded.blocks.metrics = nil
            return (block, withQueue(guarded.metrics))
        }
        guard let (block, metrics) = told else { return }
        EventRecorder.span(.callback, subject: number, text: .metrics) { block(metrics) }
    }
}

extension EventText {
    static let metrics = EventText(fixed: "metrics")
}
