public import Foundation
public import SessionTasks

extension URLSessionManager {
    // MARK: - Progress

    /// The upload's progress; nil after the end (UM-11).
    public func uploadProgress(for task: SessionTask) -> Progress? {
        table.delegate(of: task) != nil ? task.uploadProgress : nil
    }

    /// The download's progress; nil after the end (UM-11).
    public func downloadProgress(for task: SessionTask) -> Progress? {
        table.delegate(of: task) != nil ? task.downloadProgress : nil
    }

    // MARK: - Lists

    /// The tasks that have not ended, in the order in which they were made.
    ///
    /// The manager keeps the list itself. So it does not wait for the delegate queue and cannot
    /// deadlock there, as AFNetworking's could (UM-28).
    public var tasks: [SessionTask] { table.tasks }

    /// The data tasks of `tasks`, without uploads.
    public var dataTasks: [SessionDataTask] {
        table.tasks.compactMap { $0 is SessionUploadTask ? nil : $0 as? SessionDataTask }
    }

    /// The upload tasks of `tasks`.
    public var uploadTasks: [SessionUploadTask] {
        table.tasks.compactMap { $0 as? SessionUploadTask }
    }

    /// The download tasks of `tasks`.
    public var downloadTasks: [SessionDownloadTask] {
        table.tasks.compactMap { $0 as? SessionDownloadTask }
    }
}
