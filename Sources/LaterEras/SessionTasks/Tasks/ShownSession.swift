import CurlConnection
import Foundation
import FoundationNetworking
import Locking

/// Foundation's session for the blocks of callers; no task runs in it.
///
/// It is made when it is first asked for.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the session, also while it is made. Calls out on: the
/// caller's thread, without the lock (the task session, to be invalidated).
final class ShownSession: Sendable {
    private struct State {
        var owner: TaskSession?
        var isOver = false
        var session: Stand?
    }

    private let configuration: URLSessionConfiguration
    private let delegateQueue: OperationQueue
    private let state = Locked(State())

    init(_ configuration: URLSessionConfiguration, _ delegateQueue: OperationQueue) {
        self.configuration = configuration
        self.delegateQueue = delegateQueue
    }

    func connect(to owner: TaskSession) {
        state.withLock { $0.owner = owner }
    }

    /// The session, where somebody has asked for it.
    var made: URLSession? { state.withLock { $0.session } }

    var session: URLSession {
        let (session, isOver) = state.withLock { state in
            if let session = state.session { return (session, false) }
            let made = make()
            made.owner.withLock { $0 = state.owner }
            state.session = made
            return (made, state.isOver)
        }
        if isOver { session.end() }
        return session
    }

    private func make() -> Stand {
        var made: Stand?
        let make = { [configuration, delegateQueue] in
            Stand(configuration: configuration, delegate: nil, delegateQueue: delegateQueue)
        }
        ExitGate.whileOpen { made = make() }
        // A program that asks for it while it exits gets it all the same.
        return made ?? make()
    }

    /// The task session is invalid, and so is what is shown of it.
    func end() {
        let (session, owner) = state.withLock { state in
            defer { state.owner = nil }
            state.isOver = true
            return (state.session, state.owner)
        }
        session?.end()
        withExtendedLifetime(owner) {}
    }

    /// A session that invalidates the task session in place of itself, as callers do to let go of a
    /// manager (UM-30), and shows its tasks, which callers cancel.
    private final class Stand: URLSession, @unchecked Sendable {
        // @unchecked because the superclass does not restate its conformance; the owner is locked.
        let owner = Locked<TaskSession?>(nil)

        /// The delegate of the tasks that are shown. Foundation's own is nil: it would be called too.
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
            show { completionHandler($0.all) }
        }

        override func getTasksWithCompletionHandler(
            _ completionHandler:
                @escaping (
                    [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
                ) -> Void
        ) {
            show { completionHandler($0.data, $0.uploads, $0.downloads) }
        }

        private func show(_ handler: @escaping (ShownTasks) -> Void) {
            let tasks = ShownTasks(owner.withLock { $0 }?.tasks ?? [])
            // nonisolated(unsafe) because Foundation's signature has no @Sendable; it is called once.
            nonisolated(unsafe) let handler = handler
            delegateQueue.addOperation { handler(tasks) }
        }

        func end() {
            let old = owner.withLock { owner in
                defer { owner = nil }
                return owner
            }
            super.finishTasksAndInvalidate()
            withExtendedLifetime(old) {}
        }
    }
}
