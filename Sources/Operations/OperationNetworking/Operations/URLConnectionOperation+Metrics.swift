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
        let metrics = lock.withLock { metricsSoFar }
        return metrics.instants.responseCompleted == 0 ? nil : metrics
    }

    /// With the instant at which it was queued, which is atomic. The lock is held.
    private var metricsSoFar: RequestMetrics {
        var metrics = guarded.times?.metrics ?? RequestMetrics()
        let queued = queuedAt.load(ordering: .relaxed)
        // Who asks a running operation whether it is ready is no queue.
        let started = metrics.instants.started
        metrics.instants.queued = started == 0 || queued <= started ? queued : 0
        return metrics
    }

    /// The lock is held.
    private var times: OperationTimes {
        if let times = guarded.times { return times }
        let times = OperationTimes()
        guarded.times = times
        return times
    }

    /// It was put into a queue, or may start again after a pause.
    func noteQueued() {
        queuedAt.store(MonotonicClock.now, ordering: .relaxed)
    }

    /// Somebody asks whether it is ready: of a queue of the caller's own nothing else is seen.
    func noteAsked() {
        visible.noteAsked()
        if queuedAt.load(ordering: .relaxed) == 0 { noteQueued() }
    }

    /// The lock is held.
    func noteTime(of state: OperationMachine.Key?) {
        guard guarded.times == nil else { return }
        switch state {
        case .ready: noteQueued()
        case .executing: times.metrics.instants.started = MonotonicClock.now
        case .paused, .finished, nil: break
        }
    }

    /// A run has ended: its connection's times count. For the network thread; the lock is held.
    ///
    /// - Parameter connection: nil where the operation ends without one.
    func keepTimes(of connection: URLConnection?) {
        if let run = connection?.metrics {
            times.metrics.append(run)
        } else {
            let now = MonotonicClock.now
            times.metrics.instants.responseCompleted = now
            times.metrics.readClock(at: now)
        }
    }

    func noteSerialization(from start: UInt64, to end: UInt64) {
        lock.withLock {
            times.metrics.noteSerialization(from: start, to: end)
        }
    }

    /// The completion block is about to be called, on its queue. The block for the times goes first.
    func callsBack() {
        let now = MonotonicClock.now
        let told = lock.withLock { () -> (Blocks.Metrics, RequestMetrics)? in
            // A caller may call the block itself, before the end.
            guard state == .finished else { return nil }
            times.metrics.noteCallback(at: now)
            guard let block = guarded.blocks.metrics else { return nil }
            guarded.blocks.metrics = nil
            return (block, metricsSoFar)
        }
        guard let (block, metrics) = told else { return }
        EventRecorder.span(.callback, subject: number, text: .metrics) { block(metrics) }
    }
}

extension EventText {
    static let metrics = EventText(fixed: "metrics")
}
