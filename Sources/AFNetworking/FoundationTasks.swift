import Foundation
import FoundationNetworking
import Locking
import SessionEra

// Old sources name Foundation's task classes. They get one of these, which passes every call on to
// the manager's own task. The underlying `URLSessionTask` would not suffice: a download has no
// `URLSessionDownloadTask` (LX-07), a suspended one is replaced by another (LX-06), and calls to it
// post no notification (UM-14).

extension URLSessionTask {
    /// The manager's task behind this one; nil for Foundation's own.
    var sessionTask: SessionTask? { (self as? any HandledTask)?.handle }
}

/// A task of Foundation's type that passes every call on.
///
/// The three classes below repeat each other, because each has another superclass and an extension
/// cannot hold an override.
protocol HandledTask: URLSessionTask {
    var handle: SessionTask { get }
}

extension URLSessionManager {
    /// A task of this manager in Foundation's type, kept until its blocks were called: a caller may
    /// hold it weakly, because Foundation's session keeps its tasks.
    func kept<Task: URLSessionTask>(_ task: Task) -> Task {
        if let handle = task.sessionTask { keep(task, until: handle) }
        return task
    }
}

/// The tasks by their handles.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around `tasks`. Calls out on: nothing.
enum FoundationTasks {
    private struct Weak {
        weak var task: URLSessionTask?
    }

    /// A task keeps its handle, so no other object has its address while that is a key.
    private static let tasks = Locked<[ObjectIdentifier: Weak]>([:])

    static func task(for handle: SessionTask) -> URLSessionTask {
        switch handle {
        case let handle as SessionDataTask: task(for: handle)
        case let handle as SessionDownloadTask: task(for: handle)
        default: task(for: handle, HandledDataTask.init)
        }
    }

    static func task(for handle: SessionDataTask) -> URLSessionDataTask {
        guard let handle = handle as? SessionUploadTask else {
            return task(for: handle, HandledDataTask.init)
        }
        return task(for: handle)
    }

    static func task(for handle: SessionUploadTask) -> URLSessionUploadTask {
        task(for: handle, HandledUploadTask.init)
    }

    static func task(for handle: SessionDownloadTask) -> URLSessionDownloadTask {
        task(for: handle, HandledDownloadTask.init)
    }

    /// The task of a handle; the same one as long as it is referenced.
    private static func task<Handle: SessionTask, Task: HandledTask>(
        for handle: Handle, _ make: (Handle) -> Task
    ) -> Task {
        tasks.withLock { tasks in
            if let task = tasks[ObjectIdentifier(handle)]?.task as? Task { return task }
            let task = make(handle)
            tasks[ObjectIdentifier(handle)] = Weak(task: task)
            return task
        }
    }

    static func remove(_ task: some HandledTask) {
        let key = ObjectIdentifier(task.handle)
        // A task that is being released is nil here already; its successor stays.
        tasks.withLock { if $0[key]?.task == nil { $0[key] = nil } }
    }
}

final class HandledDataTask: URLSessionDataTask, HandledTask, @unchecked Sendable {
    // @unchecked because it has no variables.
    let handle: SessionTask

    init(_ handle: SessionTask) {
        self.handle = handle
        super.init()
    }

    deinit { FoundationTasks.remove(self) }

    override func resume() { handle.resume() }
    override func suspend() { handle.suspend() }
    override func cancel() { handle.cancel() }
    override var taskIdentifier: Int { handle.taskIdentifier }
    override var state: State { handle.state }
    override var originalRequest: URLRequest? { handle.originalRequest }
    override var currentRequest: URLRequest? { handle.currentRequest }
    override var response: URLResponse? { handle.response }
    override var error: (any Error)? { handle.error }
    override var progress: Progress { handle.downloadProgress }
    override var countOfBytesSent: Int64 { handle.countOfBytesSent }
    override var countOfBytesReceived: Int64 { handle.countOfBytesReceived }
    override var countOfBytesExpectedToSend: Int64 { handle.countOfBytesExpectedToSend }
    override var countOfBytesExpectedToReceive: Int64 { handle.countOfBytesExpectedToReceive }
    override var taskDescription: String? {
        get { handle.taskDescription }
        set { handle.taskDescription = newValue }
    }
    override var priority: Float {
        get { handle.priority }
        set { handle.priority = newValue }
    }
}

final class HandledUploadTask: URLSessionUploadTask, HandledTask, @unchecked Sendable {
    // @unchecked because it has no variables.
    let handle: SessionTask

    init(_ handle: SessionUploadTask) {
        self.handle = handle
        super.init()
    }

    deinit { FoundationTasks.remove(self) }

    override func resume() { handle.resume() }
    override func suspend() { handle.suspend() }
    override func cancel() { handle.cancel() }
    override var taskIdentifier: Int { handle.taskIdentifier }
    override var state: State { handle.state }
    override var originalRequest: URLRequest? { handle.originalRequest }
    override var currentRequest: URLRequest? { handle.currentRequest }
    override var response: URLResponse? { handle.response }
    override var error: (any Error)? { handle.error }
    override var progress: Progress { handle.uploadProgress }
    override var countOfBytesSent: Int64 { handle.countOfBytesSent }
    override var countOfBytesReceived: Int64 { handle.countOfBytesReceived }
    override var countOfBytesExpectedToSend: Int64 { handle.countOfBytesExpectedToSend }
    override var countOfBytesExpectedToReceive: Int64 { handle.countOfBytesExpectedToReceive }
    override var taskDescription: String? {
        get { handle.taskDescription }
        set { handle.taskDescription = newValue }
    }
    override var priority: Float {
        get { handle.priority }
        set { handle.priority = newValue }
    }
}

final class HandledDownloadTask: URLSessionDownloadTask, HandledTask, @unchecked Sendable {
    // @unchecked because it has no variables.
    let handle: SessionTask

    init(_ handle: SessionDownloadTask) {
        self.handle = handle
        super.init()
    }

    deinit { FoundationTasks.remove(self) }

    override func resume() { handle.resume() }
    override func suspend() { handle.suspend() }
    override func cancel() { handle.cancel() }
    override func cancel(byProducingResumeData completionHandler: @escaping (Data?) -> Void) {
        // nonisolated(unsafe) because Foundation's signature has no @Sendable; it is called once.
        nonisolated(unsafe) let completionHandler = completionHandler
        guard let handle = handle as? SessionDownloadTask else { return completionHandler(nil) }
        handle.cancel { completionHandler($0) }
    }
    override var taskIdentifier: Int { handle.taskIdentifier }
    override var state: State { handle.state }
    override var originalRequest: URLRequest? { handle.originalRequest }
    override var currentRequest: URLRequest? { handle.currentRequest }
    override var response: URLResponse? { handle.response }
    override var error: (any Error)? { handle.error }
    override var progress: Progress { handle.downloadProgress }
    override var countOfBytesSent: Int64 { handle.countOfBytesSent }
    override var countOfBytesReceived: Int64 { handle.countOfBytesReceived }
    override var countOfBytesExpectedToSend: Int64 { handle.countOfBytesExpectedToSend }
    override var countOfBytesExpectedToReceive: Int64 { handle.countOfBytesExpectedToReceive }
    override var taskDescription: String? {
        get { handle.taskDescription }
        set { handle.taskDescription = newValue }
    }
    override var priority: Float {
        get { handle.priority }
        set { handle.priority = newValue }
    }
}
