package import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
package import OperationNetworking

// How a task controls its load.
extension SessionTask {
    var eventText: EventText { EventText(recorded: source.methodAndURL) }

    /// Begins the load or continues it; on the caller's thread, which may wait for a disk.
    func start() {
        let (session, load) = values.withLock { ($0.session, $0.load) }
        guard let session else { return }
        if let reason = session.objection(to: source) { return fail(with: reason) }
        load?.prepare()
        load?.follow()
    }

    var loadOrder: TaskState.LoadOrder { values.withLock { $0.state.loadOrder } }

    /// Whether its end has not begun, so that its handler is called about what the load brings.
    var isLive: Bool { values.withLock { $0.state.isLive } }

    /// The body goes to a reader piece by piece, so that larger pieces are received. Call it before the first `resume`.
    package func streamsBody() {
        values.withLock { $0.isBodyStreamed = true }
    }

    var isBodyStreamed: Bool { values.withLock { $0.isBodyStreamed } }

    /// Receives no more of the body while its reader is behind.
    package func follow(_ reader: BodyChannel) {
        values.withLock { $0.load }?.pauseReceiving { reader.isFull }
    }

    /// What a reader of the task's body asks of it.
    package var transferOfBody: BodyChannel.Transfer {
        BodyChannel.Transfer {
            self.follow($0)
        } isCancelled: {
            self.values.withLock { $0.state.isCancelled }
        } cancel: {
            self.cancel()
        }
    }

    // MARK: - What the load brings

    /// Handles the task's events; nil leaves them to the session's delegate.
    package var handler: (any TaskHandler)? {
        get { values.withLock { $0.handler } }
        set { values.replace(\.handler, with: newValue) }
    }

    /// Notes a response; the counts start again.
    ///
    /// - Parameter offset: the size of the part that a download continues.
    func note(_ response: URLResponse, from offset: Int64) {
        let total = PartialContent.whole(from: offset, announced: response.expectedContentLength)
        values.withLock { values in
            values.response = response
            values.received.restart(at: offset, of: total)
        }
    }

    func noteReceived(_ count: Int64) -> TaskProgress.Notice {
        values.withLock { values in
            values.received.set(values.received.count + count, of: values.received.total)
        }
    }

    func noteSent(_ count: Int64, of total: Int64) -> TaskProgress.Notice {
        values.withLock { $0.sent.set(count, of: total) }
    }

    /// Adds when the task was first resumed.
    ///
    /// - Returns: the metrics with it.
    func note(_ metrics: RequestMetrics) -> RequestMetrics {
        values.withLock { values in
            var metrics = metrics
            metrics.instants.queued = values.queued
            values.metrics = metrics
            return metrics
        }
    }

    /// Adds to the task's times. Nothing happens to a task without metrics.
    package func measure(_ change: (inout RequestMetrics) -> Void) {
        values.withLock { values in
            guard var metrics = values.metrics else { return }
            change(&metrics)
            values.metrics = metrics
        }
    }

    /// Notes that a handler could not move a download's file. It becomes the task's error.
    package func failPlacement(with error: any Error) {
        values.withLock { $0.placementFailure = error }
    }

    var placementFailure: (any Error)? { values.withLock { $0.placementFailure } }

    // MARK: - Ending

    /// - Parameter resumeData: called with the resume data of a download.
    func cancel(with resumeData: (@Sendable (Data?) -> Void)?) {
        let move = end(TaskState.Ending(wantsResumeData: resumeData))
        if case .forward(let download) = move.action { return download.cancel(with: resumeData) }
        guard move.isEffective else {
            if let resumeData { delegateQueue.addOperation { resumeData(nil) } }
            return notifyOfFailure()
        }
        EventRecorder.instant(.sessionTaskState, subject: number, text: TaskText.cancelled)
    }

    /// Ends the task with an error that is not the load's.
    package func fail(with reason: any Error) {
        let move = end(TaskState.Ending(reason: reason))
        if case .forward(let download) = move.action { download.fail(with: reason) }
    }

    private func end(_ ending: TaskState.Ending) -> TaskState.Move {
        let (move, load) = values.withLock { ($0.state.end(ending), $0.load) }
        if move.isEffective { endStreams() }
        if case .follow = move.action { load?.follow() }
        return move
    }

    /// Calls the handler of a task that could not be made, once; also where the session is invalid by now.
    func notifyOfFailure() {
        let (session, error) = values.withLock { values in
            (values.sessionOfFailure.take(), values.state.error)
        }
        guard let session else { return }
        session.notifyObserver(ofEndOf: self, error)
        let (lastDelegate, handler) = (session.lastDelegate, handler)
        session.delegateQueue.addOperation {
            withExtendedLifetime(lastDelegate) {
                (handler ?? lastDelegate)?.handle(.ended(error), of: self, in: session)
            }
        }
    }

    /// Notes that the load has ended.
    ///
    /// - Returns: nil where that was noted before.
    func complete(_ error: (any Error)?) -> TaskState.Ending? {
        values.withLock { values in
            guard let ending = values.state.loadEnded(error) else { return nil }
            defer { values.releaseLoad() }
            return ending
        }
    }

    /// Notes and records the end, before any callback.
    func noteEnd(_ error: (any Error)?) {
        let (hasBegun, old) = values.withLock { values in
            let old = values.state.error
            values.state.noteError(error)
            return (values.state.hasBegun, old)
        }
        // Released after the lock: it may have objects of the caller's.
        withExtendedLifetime(old) {}
        endStreams()
        if hasBegun { EventRecorder.end(.sessionTask, subject: number) }
    }
}
