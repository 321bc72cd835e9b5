public import Foundation

extension URLSessionManager {
    // MARK: - Progress

    /// The upload's progress; nil after the end (UM-11).
    public func uploadProgress(for task: SessionTask) -> Progress? {
        table.contains(task) ? task.uploadProgress : nil
    }

    /// The download's progress; nil after the end (UM-11).
    public func downloadProgress(for task: SessionTask) -> Progress? {
        table.contains(task) ? task.downloadProgress : nil
    }

    // MARK: - Lists

    /// The tasks that have not ended, in the order in which they were made.
    ///
    /// The list is the manager's own. So it neither waits nor deadlocks on the delegate queue, as
    /// AFNetworking's did (UM-28).
    public var tasks: [SessionTask] { table.tasks }

    /// Those of `tasks` that are data tasks, without uploads.
    public var dataTasks: [SessionDataTask] {
        table.tasks.compactMap { $0 is SessionUploadTask ? nil : $0 as? SessionDataTask }
    }

    /// Those of `tasks` that are uploads.
    public var uploadTasks: [SessionUploadTask] {
        table.tasks.compactMap { $0 as? SessionUploadTask }
    }

    /// Those of `tasks` that are downloads.
    public var downloadTasks: [SessionDownloadTask] {
        table.tasks.compactMap { $0 as? SessionDownloadTask }
    }
}
