import Foundation
import FoundationNetworking

/// The tasks of a session that have not ended, by kind, in Foundation's types: for callers who ask Foundation's session
/// for its tasks, as programs do that cancel all requests.
struct ShownTasks {
    var data: [URLSessionDataTask] = []
    var uploads: [URLSessionUploadTask] = []
    var downloads: [URLSessionDownloadTask] = []
    /// The oldest first.
    let all: [URLSessionTask]

    init(_ tasks: [SessionTask]) {
        all = tasks.map { FoundationTasks.task(for: $0) }
        for task in all {
            switch task {
            case let task as URLSessionUploadTask: uploads.append(task)
            case let task as URLSessionDataTask: data.append(task)
            case let task as URLSessionDownloadTask: downloads.append(task)
            default: break
            }
        }
    }
}
