public import Foundation
import Locking
public import SessionTasks

extension URLSessionManager {
    // MARK: - Progress

    /// The upload's progress; nil after the end.
    public func uploadProgress(for task: SessionTask) -> Progress? {
        isManaging(task) ? task.uploadProgress : nil
    }

    /// The download's progress; nil after the end.
    public func downloadProgress(for task: SessionTask) -> Progress? {
        isManaging(task) ? task.downloadProgress : nil
    }

    private func isManaging(_ task: SessionTask) -> Bool {
        guard let work = task.handler as? ManagedTask, !work.shared.withLock({ $0.isOver }) else {
            return false
        }
        return slot.sessions.contains { $0.isListing(task) }
    }

    /// Retains an object until a task has ended and its blocks were called; not at all for one that
    /// has ended.
    ///
    /// It is for the task of Foundation's type that the caller has, since Foundation's session
    /// retains its tasks.
    package func keep(_ foundationTask: any AnyObject & Sendable, until task: SessionTask) {
        guard let work = task.handler as? ManagedTask else { return }
        work.shared.withLock { if !$0.isOver { $0.foundationTask = foundationTask } }
    }

    // MARK: - Lists

    /// The tasks that have not ended, in the order in which they were made.
    ///
    /// The list is the session's own. So it does not wait for the delegate queue and cannot
    /// deadlock there, as AFNetworking's could.
    public var tasks: [SessionTask] {
        slot.sessions.flatMap(\.tasks).sorted { $0.number < $1.number }
    }

    /// The data tasks of `tasks`, without uploads.
    public var dataTasks: [SessionDataTask] {
        tasks.compactMap { $0 is SessionUploadTask ? nil : $0 as? SessionDataTask }
    }

    /// The upload tasks of `tasks`.
    public var uploadTasks: [SessionUploadTask] {
        tasks.compactMap { $0 as? SessionUploadTask }
    }

    /// The download tasks of `tasks`.
    public var downloadTasks: [SessionDownloadTask] {
        tasks.compactMap { $0 as? SessionDownloadTask }
    }
}
