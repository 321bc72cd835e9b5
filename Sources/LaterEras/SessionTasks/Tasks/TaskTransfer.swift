import Foundation
import FoundationNetworking

/// One run of a task on a transport. It tells the task's session what happens.
///
/// ## Concurrency
/// Call from: any thread, one step at a time (under the task's `driving`). Nothing here waits for
/// the delegate queue.
protocol TaskTransfer: AnyObject, Sendable {
    /// Unique within a session.
    var taskIdentifier: Int { get }
    /// Foundation's task; nil with another transport.
    var urlSessionTask: URLSessionTask? { get }
    /// The request after redirects; nil while it is the original one.
    var currentRequest: URLRequest? { get }
    /// The latest response that the transport knows of.
    var response: URLResponse? { get }
    /// Whether `suspend` holds the transfer and `resume` goes on with it. Otherwise the task gives
    /// it up, and a new one asks again (LX-06).
    var canBeHeld: Bool { get }

    /// Looks at what is sent, before the first `resume`: on the caller's thread, which may wait for a
    /// disk.
    func prepare()
    /// Connects the transfer with its task, before it is resumed.
    func attach(to task: SessionTask)
    /// Starts the transfer, or goes on with it.
    func resume()
    /// Holds it. Called only where `canBeHeld`.
    func suspend()
    /// Holds it while a reader is behind, whatever `suspend` and `resume` say besides; asked now, on the
    /// thread of the transfer. Nothing happens where it cannot be held.
    func rest(while isReaderBehind: @escaping @Sendable () -> Bool)
    /// Stops it. What it tells after that is not heard.
    func cancel()
    /// Gives up a transfer that was never resumed.
    func abandon()
}

/// What makes the transfers of a session.
///
/// ## Concurrency
/// Call from: any thread.
protocol TaskTransport: AnyObject, Sendable {
    /// See `TaskSession.urlSession`.
    var urlSession: URLSession { get }
    /// The same, where somebody has asked for it.
    var madeURLSession: URLSession? { get }
    /// Whether the session's tasks were cancelled. The maker of a task that is not listed yet must
    /// cancel it.
    var isCancelled: Bool { get }

    /// Why this transport cannot run such a task, or nil.
    func defect(of source: TransferSource) -> (any Error)?
    /// Why the task must not follow a redirect to the request, or nil.
    func defect(ofRedirectTo request: URLRequest, _ source: TransferSource) -> (any Error)?
    /// A transfer that waits for its `resume`; nil when the session is invalid.
    ///
    /// - Parameter request: the source's, or the one for the rest of a download.
    func makeTransfer(
        _ source: TransferSource, _ request: URLRequest, _ stream: BodyStream
    ) throws -> (any TaskTransfer)?
    /// See `TaskSession.cookieHeader(for:)`.
    func cookieHeader(for request: URLRequest) -> String?
    /// A task has ended.
    func taskDidEnd()
    func forgetAnswersAboutServers()
    func finishTasksAndInvalidate()
    func invalidateAndCancel()
}
