package import CurlConnection
package import Foundation
package import FoundationNetworking
package import HTTPSemantics
import Locking

/// Makes tasks and calls one delegate for them, as URLSession does, on one of two transports.
///
/// It keeps its delegate until it is invalid (UM-30).
///
/// ## Concurrency
/// Call from: any thread. Lock: `state`, around the variables. Calls out on: the delegate queue;
/// see `TaskSessionDelegate`.
package final class TaskSession: Sendable {
    // MARK: Set once

    /// What carries the tasks.
    package let transport: SessionTransport
    /// The settings of the tasks; nobody changes them.
    package let configuration: URLSessionConfiguration
    /// Serial; the delegate is called on it (LX-17).
    package let delegateQueue: OperationQueue
    let carrier: any TaskTransport

    private struct State {
        var delegate: (any TaskSessionDelegate)?
        /// The delegate after its last call.
        weak var former: (any TaskSessionDelegate)?
        var forwardsCredentials = false
        var connection: URLConnectionConfiguration?
        var clock = NetworkClock.system
        var retryPolicy: RetryPolicy?
        var loadsLocalAddresses = false
        var tasks: [UInt64: SessionTask] = [:]
    }

    private let state: Locked<State>

    init(
        _ transport: SessionTransport, _ configuration: URLSessionConfiguration,
        _ delegate: any TaskSessionDelegate, _ delegateQueue: OperationQueue,
        _ carrier: any TaskTransport
    ) {
        self.transport = transport
        self.delegateQueue = delegateQueue
        self.carrier = carrier
        self.configuration = configuration
        state = Locked(State(delegate: delegate))
    }

    // MARK: - Tasks

    /// A suspended data task.
    package func dataTask(with request: URLRequest) -> SessionDataTask {
        make(.data(request), nil, SessionDataTask.init)
    }

    /// A suspended upload of a file.
    package func uploadTask(with request: URLRequest, fromFile file: URL) -> SessionUploadTask {
        make(.file(request, file), nil, SessionUploadTask.init)
    }

    /// A suspended upload of bytes.
    package func uploadTask(with request: URLRequest, from data: Data?) -> SessionUploadTask {
        make(.bytes(request, data ?? Data()), nil, SessionUploadTask.init)
    }

    /// A suspended upload of a stream, for which the delegate is asked.
    package func uploadTask(withStreamedRequest request: URLRequest) -> SessionUploadTask {
        make(.stream(request), nil, SessionUploadTask.init)
    }

    /// A suspended download.
    package func downloadTask(with request: URLRequest) -> SessionDownloadTask {
        make(.download(request), DownloadFile(), SessionDownloadTask.init)
    }

    /// A suspended download of the rest (UM-07).
    package func downloadTask(withResumeData resumeData: Data) -> SessionDownloadTask {
        do {
            let (request, file) = try ResumeData.claim(resumeData)
            return make(.download(request), file, SessionDownloadTask.init)
        } catch {
            let nothing = URLRequest(url: URL(fileURLWithPath: "/"))
            return failed(.download(nothing), nil, error, SessionDownloadTask.init)
        }
    }

    /// The field Cookie that a task of a request would be sent with now; nil for none.
    package func cookieHeader(for request: URLRequest) -> String? {
        carrier.cookieHeader(for: request)
    }

    /// The tasks that have not ended, the oldest first.
    package var tasks: [SessionTask] {
        state.withLock { $0.tasks }.values.sorted { $0.number < $1.number }
    }

    // MARK: - Life

    /// Makes no more tasks, and is invalid when those there are have ended (UM-16).
    package func finishTasksAndInvalidate() {
        carrier.finishTasksAndInvalidate()
    }

    /// Cancels its tasks and makes no more.
    package func invalidateAndCancel() {
        carrier.invalidateAndCancel()
    }

    /// Foundation's session, the parameter of callers' blocks.
    ///
    /// With `.foundation` its tasks run in it. With `.connection` none of them does: it is made when
    /// first asked for, from the same configuration; it shows these tasks, and invalidating it
    /// invalidates this session.
    package var urlSession: URLSession { carrier.urlSession }

    /// Whether a redirect to another origin keeps the caller's credentials (LX-11).
    package var forwardsCredentialsToOtherOrigins: Bool {
        get { state.withLock { $0.forwardsCredentials } }
        set { state.withLock { $0.forwardsCredentials = newValue } }
    }

    /// What each `URLConnection` is set up with from its start on; nil follows `configuration`. It
    /// counts with `.connection` alone.
    package var connectionConfiguration: URLConnectionConfiguration? {
        get { state.withLock { $0.connection } }
        set { change { $0.connection = newValue } }
    }

    /// What limits of loads and delays before another try go by: that of `connectionConfiguration`, or
    /// where there is none, one of its own. With `.foundation` loads go by the system's.
    package var clock: NetworkClock {
        get { state.withLock { $0.connection?.clock ?? $0.clock } }
        set {
            change { state in
                state.connection?.clock = newValue
                state.clock = newValue
            }
        }
    }

    /// When a request is sent again inside its task: that of `connectionConfiguration`, or where there is
    /// none, one of its own. `.foundation` does not use it.
    package var retryPolicy: RetryPolicy? {
        get { state.withLock { $0.connection?.retryPolicy ?? $0.retryPolicy } }
        set {
            change { state in
                state.connection?.retryPolicy = newValue
                state.retryPolicy = newValue
            }
        }
    }

    /// Whether `file:` and `data:` addresses are loaded: that of `connectionConfiguration`, or where there is none,
    /// one of its own. `.foundation` does not use it.
    package var loadsLocalAddresses: Bool {
        get { state.withLock { $0.connection?.loadsLocalAddresses ?? $0.loadsLocalAddresses } }
        set {
            state.withLock { state in
                state.connection?.loadsLocalAddresses = newValue
                state.loadsLocalAddresses = newValue
            }
        }
    }

    /// What is replaced goes after the lock: it may be the caller's, and call the session in its `deinit`.
    private func change(_ change: (inout State) -> Void) {
        let old = state.withLock { state in
            let old = (state.connection, state.clock, state.retryPolicy)
            change(&state)
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Has the delegate asked again about servers that it accepted (`.connection`).
    package func forgetAcceptedServers() {
        carrier.forgetAcceptedServers()
    }

    // MARK: - For transports

    var delegate: (any TaskSessionDelegate)? { state.withLock { $0.delegate } }

    /// The delegate, also once the session is invalid, as long as somebody else keeps it.
    var lastDelegate: (any TaskSessionDelegate)? { state.withLock { $0.delegate ?? $0.former } }

    /// Has another delegate called from now on (UM-03).
    package func replaceDelegate(by new: any TaskSessionDelegate) {
        let old = state.withLock { state in
            defer { if state.delegate != nil { state.delegate = new } }
            return state.delegate
        }
        withExtendedLifetime(old) {}
    }

    /// Forgets the delegate, whose last call was made.
    func releaseDelegate() {
        let old = state.withLock { state in
            defer { state.delegate = nil }
            state.former = state.delegate
            return state.delegate
        }
        withExtendedLifetime(old) {}
    }

    func list(_ task: SessionTask) {
        state.withLock { $0.tasks[task.number] = task }
    }

    func unlist(_ task: SessionTask) {
        let old = state.withLock { $0.tasks.removeValue(forKey: task.number) }
        withExtendedLifetime(old) {}
    }
}
