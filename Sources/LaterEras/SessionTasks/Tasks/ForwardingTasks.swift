// In a file that imports FoundationNetworking for itself alone: with a package import Swift 6.3 takes the initializer
// that these classes do not inherit for a recursion.
import Foundation
import FoundationNetworking

/// A task of Foundation's type whose methods call the session's own task.
///
/// The three classes below repeat each other, because each has another superclass and an extension
/// cannot have an override.
protocol ForwardingTask: URLSessionTask {
    var handle: SessionTask { get }
}

final class ForwardingDataTask: URLSessionDataTask, ForwardingTask, @unchecked Sendable {
    // @unchecked because it has no variables.
    let handle: SessionTask

    init(_ handle: SessionTask) {
        self.handle = handle
        super.init()
    }

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

final class ForwardingUploadTask: URLSessionUploadTask, ForwardingTask, @unchecked Sendable {
    // @unchecked because it has no variables.
    let handle: SessionTask

    init(_ handle: SessionUploadTask) {
        self.handle = handle
        super.init()
    }

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

final class ForwardingDownloadTask: URLSessionDownloadTask, ForwardingTask, @unchecked Sendable {
    // @unchecked because it has no variables.
    let handle: SessionTask

    init(_ handle: SessionDownloadTask) {
        self.handle = handle
        super.init()
    }

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
