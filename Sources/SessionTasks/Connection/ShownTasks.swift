import Foundation
import FoundationNetworking

// Tasks of a session that none of Foundation's runs in, for callers who ask Foundation's session for its
// tasks, as programs do that cancel all requests. Each passes its calls on to the real task. The three classes are alike
// because each needs another superclass of Foundation's.

/// A data task as one of Foundation's.
final class ShownDataTask: URLSessionDataTask, @unchecked Sendable {
    // @unchecked because the superclass does not restate its conformance; the task is constant.
    let task: SessionTask

    init(_ task: SessionTask) { self.task = task }

    override func resume() { task.resume() }
    override func suspend() { task.suspend() }
    override func cancel() { task.cancel() }
    override var taskIdentifier: Int { task.taskIdentifier }
    override var state: URLSessionTask.State { task.state }
    override var originalRequest: URLRequest? { task.originalRequest }
    override var currentRequest: URLRequest? { task.currentRequest }
    override var response: URLResponse? { task.response }
    override var error: (any Error)? { task.error }
    override var taskDescription: String? {
        get { task.taskDescription }
        set { task.taskDescription = newValue }
    }
}

/// An upload as one of Foundation's.
final class ShownUploadTask: URLSessionUploadTask, @unchecked Sendable {
    // @unchecked because the superclass does not restate its conformance; the task is constant.
    let task: SessionTask

    init(_ task: SessionTask) { self.task = task }

    override func resume() { task.resume() }
    override func suspend() { task.suspend() }
    override func cancel() { task.cancel() }
    override var taskIdentifier: Int { task.taskIdentifier }
    override var state: URLSessionTask.State { task.state }
    override var originalRequest: URLRequest? { task.originalRequest }
    override var currentRequest: URLRequest? { task.currentRequest }
    override var response: URLResponse? { task.response }
    override var error: (any Error)? { task.error }
    override var taskDescription: String? {
        get { task.taskDescription }
        set { task.taskDescription = newValue }
    }
}

/// A download as one of Foundation's.
final class ShownDownloadTask: URLSessionDownloadTask, @unchecked Sendable {
    // @unchecked because the superclass does not restate its conformance; the task is constant.
    let task: SessionDownloadTask

    init(_ task: SessionDownloadTask) { self.task = task }

    override func resume() { task.resume() }
    override func suspend() { task.suspend() }
    override func cancel() { task.cancel() }
    override func cancel(byProducingResumeData completionHandler: @escaping (Data?) -> Void) {
        // nonisolated(unsafe) because Foundation's signature has no @Sendable; it is called once.
        nonisolated(unsafe) let completionHandler = completionHandler
        task.cancel { completionHandler($0) }
    }
    override var taskIdentifier: Int { task.taskIdentifier }
    override var state: URLSessionTask.State { task.state }
    override var originalRequest: URLRequest? { task.originalRequest }
    override var currentRequest: URLRequest? { task.currentRequest }
    override var response: URLResponse? { task.response }
    override var error: (any Error)? { task.error }
    override var taskDescription: String? {
        get { task.taskDescription }
        set { task.taskDescription = newValue }
    }
}

/// The tasks of a session that have not ended, by kind.
struct ShownTasks {
    var data: [URLSessionDataTask] = []
    var uploads: [URLSessionUploadTask] = []
    var downloads: [URLSessionDownloadTask] = []
    /// The oldest first.
    private(set) var all: [URLSessionTask] = []

    init(_ tasks: [SessionTask]) {
        for task in tasks {
            switch task {
            case let task as SessionUploadTask:
                let shown = ShownUploadTask(task)
                uploads.append(shown)
                all.append(shown)
            case let task as SessionDownloadTask:
                let shown = ShownDownloadTask(task)
                downloads.append(shown)
                all.append(shown)
            default:
                let shown = ShownDataTask(task)
                data.append(shown)
                all.append(shown)
            }
        }
    }
}
