import Foundation
package import FoundationNetworking
import Locking

/// The `URLSession` of a task session, which the blocks of callers get; no task runs in it.
///
/// It invalidates the task session, as callers do to release a manager, and lists its tasks, which callers
/// cancel.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the owner. Calls out on: the delegate queue.
final class StandInSession: URLSession, @unchecked Sendable {
    // @unchecked because the superclass does not restate its conformance; the owner is locked.
    let owner = Locked<TaskSession?>(nil)

    /// The delegate of the listed tasks. Foundation's own is nil, since Foundation would call it as well.
    override var delegate: (any URLSessionDelegate)? {
        owner.withLock { $0 }?.delegate as? any URLSessionDelegate
    }

    override func finishTasksAndInvalidate() {
        owner.withLock { $0 }?.finishTasksAndInvalidate()
    }

    override func invalidateAndCancel() {
        owner.withLock { $0 }?.invalidateAndCancel()
    }

    override func getAllTasks(completionHandler: @escaping ([URLSessionTask]) -> Void) {
        list { completionHandler($0) }
    }

    override func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping (
                [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
            ) -> Void
    ) {
        list { all in
            let uploads = all.compactMap { $0 as? URLSessionUploadTask }
            let data = all.filter { !($0 is URLSessionUploadTask) }
            completionHandler(
                data.compactMap { $0 as? URLSessionDataTask }, uploads,
                all.compactMap { $0 as? URLSessionDownloadTask })
        }
    }

    /// - Parameter handler: called with the tasks that have not ended, in Foundation's types, the oldest first.
    private func list(_ handler: @escaping ([URLSessionTask]) -> Void) {
        let tasks = owner.withLock { $0 }?.tasks ?? []
        let all = tasks.map { FoundationTasks.task(for: $0) }
        // nonisolated(unsafe) because Foundation's signature has no @Sendable; it is called once.
        nonisolated(unsafe) let handler = handler
        delegateQueue.addOperation { handler(all) }
    }

    /// The task session is invalid.
    func end() {
        let old = owner.withLock { $0.take() }
        super.finishTasksAndInvalidate()
        withExtendedLifetime(old) {}
    }
}

extension TaskSession {
    /// Foundation's session, the parameter of callers' blocks.
    ///
    /// None of the tasks runs in it. It is made when first asked for, from the same configuration; it lists these tasks,
    /// and invalidating it invalidates this session. Where the program gave a session, it is that one.
    package var urlSession: URLSession {
        if let foundationSession { return foundationSession }
        let (session, isOver) = state.withLock { state in
            if let session = state.standIn { return (session, false) }
            let made = makeStandIn()
            made.owner.withLock { $0 = self }
            state.standIn = made
            return (made, state.isOver)
        }
        if isOver { session.end() }
        return session
    }

    /// Nil where none was asked for before.
    package var madeURLSession: URLSession? { foundationSession ?? state.withLock { $0.standIn } }

    /// Nil where the process is exiting and none was asked for before.
    package var urlSessionUnlessExiting: URLSession? {
        var session = madeURLSession
        if session == nil { ExitGate.whileOpen { session = urlSession } }
        return session
    }

    private func makeStandIn() -> StandInSession {
        var made: StandInSession?
        let make = { [configuration, delegateQueue] in
            StandInSession(
                configuration: configuration, delegate: nil, delegateQueue: delegateQueue)
        }
        ExitGate.whileOpen { made = make() }
        // Also while the process exits, since the caller needs one.
        return made ?? make()
    }

    /// Call when the session is invalid.
    func endStandIn() {
        let session = state.withLock { state in
            state.isOver = true
            return state.standIn
        }
        session?.end()
    }
}
