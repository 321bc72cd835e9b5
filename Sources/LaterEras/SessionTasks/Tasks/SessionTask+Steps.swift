import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics
import OperationNetworking

// How a task drives its load.
extension SessionTask {
    /// The words of a recording for this task.
    var eventText: EventText { EventText(recorded: source.methodAndURL) }

    /// Begins the load or goes on with it; on the caller's thread, which may wait for a disk.
    func start() {
        let (session, load) = lock.withLock { (values.session, values.load) }
        guard let session else { return }
        if let reason = session.objection(to: source) { return fail(with: reason) }
        load?.prepare()
        load?.follow()
    }

    /// What the network thread does with the load now.
    var errand: TaskState.Errand { lock.withLock { values.state.errand } }

    // MARK: - Ending

    /// - Parameter resumeData: called with the resume data of a download.
    func cancel(with resumeData: (@Sendable (Data?) -> Void)?) {
        let move = end(TaskState.Ending(wantsResumeData: resumeData))
        if case .forward(let download) = move.action { return download.cancel(with: resumeData) }
        guard move.wasLive else {
            if let resumeData { delegateQueue.addOperation { resumeData(nil) } }
            return tellOfFailure()
        }
        EventRecorder.instant(.sessionTaskState, subject: number, text: Text.cancelled)
    }

    /// Ends the task with an error that is not the load's.
    package func fail(with reason: any Error) {
        let move = end(TaskState.Ending(reason: reason))
        if case .forward(let download) = move.action { download.fail(with: reason) }
    }

    private func end(_ ending: TaskState.Ending) -> TaskState.Move {
        let (move, load) = lock.withLock { (values.state.end(ending), values.load) }
        if move.wasLive { progress.endStreams() }
        if case .follow = move.action { load?.follow() }
        return move
    }

    /// Tells the handler of a task that could not be made, once; also where the session is invalid by now.
    func tellOfFailure() {
        let (session, error) = lock.withLock {
            defer { values.unheardFailure = nil }
            return (values.unheardFailure, values.state.error)
        }
        guard let session else { return }
        session.tellObserver(ofEndOf: self, error)
        let (lastDelegate, handler) = (session.lastDelegate, handler)
        session.delegateQueue.addOperation {
            withExtendedLifetime(lastDelegate) {
                (handler ?? lastDelegate)?.handle(.ended(error), of: self, in: session)
            }
        }
    }

    /// Notes and records the end, before any callback.
    func noteEnd(_ error: (any Error)?) {
        let (hasBegun, old) = lock.withLock {
            let old = values.state.error
            values.state.noteError(error)
            return (values.state.hasBegun, old)
        }
        // What it holds of the caller's goes after the lock.
        withExtendedLifetime(old) {}
        progress.endStreams()
        if hasBegun { EventRecorder.end(.sessionTask, subject: number) }
    }

    /// Whether its end has not begun, so that its handler is called about what the load brings.
    var isPresent: Bool { lock.withLock { values.state.isLive } }
}
