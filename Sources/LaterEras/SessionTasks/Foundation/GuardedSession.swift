import Foundation
import FoundationNetworking

/// A session that knows whether it was invalidated. Foundation's own session crashes when it must
/// make a task after that (LX-27).
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`, around the variables, also while a task is made. Calls out
/// on: the caller's thread, without the lock (the session's tasks, to be cancelled).
final class GuardedSession: URLSession, @unchecked Sendable {
    // @unchecked because the variables are only touched under `lock`.
    private let lock = NSLock()

    // MARK: Guarded by lock

    private var isInvalid = false
    private var isCancelling = false
    private var credentials: [String: String] = [:]

    /// Whether its tasks were cancelled. The maker of a task that is not listed yet must cancel it.
    var isCancelled: Bool { lock.withLock { isCancelling } }

    /// Sets the header fields of each first request. A redirected request has them from the request
    /// before, or lost them at another origin.
    func keep(_ credentials: [String: String]) {
        lock.withLock { self.credentials = credentials }
    }

    /// A suspended task, or nil from a session that has been invalidated.
    func makeTask(_ source: TransferSource, for request: URLRequest) -> URLSessionTask? {
        lock.withLock {
            if isInvalid { return nil }
            var request = request
            for (field, value) in credentials
            where request.value(forHTTPHeaderField: field) == nil {
                request.setValue(value, forHTTPHeaderField: field)
            }
            return source.makeTask(in: self, for: request)
        }
    }

    override func finishTasksAndInvalidate() {
        if invalidate(isCancelling: false) { super.finishTasksAndInvalidate() }
    }

    /// Cancels each task by its handle and lets the session end after them.
    ///
    /// Foundation's own method does not wait for the tasks, so that some never report their end,
    /// and crashes when it cancels a task whose redirect is being decided. Tasks that were made of
    /// the session itself continue.
    override func invalidateAndCancel() {
        let isFirst = invalidate(isCancelling: true)
        (delegate as? FoundationDelegate)?.cancelTasks()
        if isFirst { super.finishTasksAndInvalidate() }
    }

    /// - Returns: false when it was invalidated before; Foundation would report it a second time.
    private func invalidate(isCancelling: Bool) -> Bool {
        lock.withLock {
            defer { isInvalid = true }
            self.isCancelling = self.isCancelling || isCancelling
            return !isInvalid
        }
    }
}
