public import CurlConnection
import EventRecorder
import Foundation

// The times of an operation: of its runs, and of what is before and after them.

extension URLConnectionOperation {
    /// The times of all runs that have ended or were paused, and of the queue, the serializer and the
    /// block; nil before the first of them.
    ///
    /// From any thread. A copy has none of its own, and an archive holds none.
    public var metrics: RequestMetrics? {
        let metrics = lock.withLock { guarded.metrics }
        return metrics.instants.responseCompleted == 0 ? nil : metrics
    }

    /// It was put into a queue, or may start again after a pause. The lock is held.
    func noteQueued() {
        guard guarded.metrics.instants.started == 0 else { return }
        guarded.metrics.instants.queued = MonotonicClock.now
    }

    /// The lock is held.
    func noteTime(of state: OperationState) {
        switch state {
        case .ready: noteQueued()
        case .executing where guarded.metrics.instants.started == 0:
            guarded.metrics.instants.started = MonotonicClock.now
        case .executing, .paused, .finished: break
        }
    }

    /// A run has ended: its connection's times count. For the network thread.
    ///
    /// - Parameter connection: nil where the operation ends without one.
    func keepTimes(of connection: URLConnection?) {
        let now = MonotonicClock.now
        lock.withLock {
            if let run = connection?.metrics { guarded.metrics.append(run) }
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
        let (block, metrics) = lock.withLock { () -> (Blocks.Metrics?, RequestMetrics) in
            // A caller may call the block itself, before the end.
            guard state == .finished else { return (nil, guarded.metrics) }
            if guarded.metrics.instants.calledBack == 0 {
                guarded.metrics.instants.calledBack = MonotonicClock.now
            }
            let block = guarded.blocks.metrics
            if block != nil { guarded.blocks.metrics = nil }
            return (block, guarded.metrics)
        }
        guard let block else { return }
        EventRecorder.span(.callback, subject: number, text: .metrics) { block(metrics) }
    }
}

extension EventText {
    static let metrics = EventText(fixed: "metrics")
}
