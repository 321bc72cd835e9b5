import CurlConnection
package import Foundation
package import FoundationNetworking
import HTTPSemantics
package import Locking
package import OperationNetworking

/// Makes tasks, which run on `URLConnection`, and calls the handler of each, as URLSession calls its delegate.
///
/// It retains its delegate until it is invalid.
///
/// ## Concurrency
/// Call from: any thread. Lock: `state`, around the variables. Calls out on: the delegate queue;
/// see `TaskHandler` and `TaskSessionDelegate`.
package final class TaskSession: Sendable {
    // MARK: Set once

    /// The settings of the tasks, which do not change.
    package let configuration: URLSessionConfiguration
    /// Shared with the other sessions of its owner.
    package let options: Locked<LoadOptions>
    /// Serial; the delegate is called on it (LX-17).
    package let delegateQueue: OperationQueue
    let thread: NetworkThread
    let settings: ConnectionSettings
    let events: EventBatch
    let servers = ServerAnswers()
    /// A `URLSession` that the caller made, which `urlSession` then returns.
    let foundationSession: URLSession?

    struct State {
        /// Itself, until it is invalid.
        var own: TaskSession?
        var isInvalid = false
        var isCancelled = false
        /// The loads whose tasks have not ended.
        var loads = 0
        var lastIdentifier = 0
        var delegate: (any TaskSessionDelegate)?
        /// The delegate after its last call.
        weak var former: (any TaskSessionDelegate)?
        var tasks: [UInt64: SessionTask] = [:]
        /// See `urlSession`.
        var standIn: StandInSession?
        /// Whether the delegate got its last call.
        var isOver = false
    }

    let state: Locked<State>

    /// - Parameters:
    ///   - configuration: copied now.
    ///   - delegate: retained until the session is invalid.
    ///   - delegateQueue: of width 1 (LX-17).
    ///   - thread: runs the loads.
    ///   - foundationSession: a `URLSession` that the caller made, which `urlSession` then returns.
    package init(
        configuration: URLSessionConfiguration,
        options: Locked<LoadOptions> = Locked(LoadOptions()),
        delegate: any TaskSessionDelegate, delegateQueue: OperationQueue,
        thread: NetworkThread = .shared, showing foundationSession: URLSession? = nil
    ) {
        let copy = configuration.copy() as? URLSessionConfiguration ?? configuration
        self.foundationSession = foundationSession
        self.options = options
        self.delegateQueue = delegateQueue
        self.configuration = copy
        self.thread = thread
        settings = ConnectionSettings(copy)
        events = EventBatch(delegateQueue)
        state = Locked(State(delegate: delegate))
        state.withLock { $0.own = self }
    }

    // MARK: - Tasks

    package typealias MakesHandler = (SessionTask) -> (any TaskHandler)?

    // `handler` is called with the task before the task is listed, so that nothing can end it before, and returns what
    // handles it. Where it returns nil, the session's delegate handles it.

    /// A suspended data task.
    package func dataTask(
        with request: URLRequest, handler: MakesHandler = { _ in nil }
    ) -> SessionDataTask {
        make(.data(request), nil, handler, SessionDataTask.init)
    }

    /// A suspended upload of a file.
    package func uploadTask(
        with request: URLRequest, fromFile file: URL,
        handler: MakesHandler = { _ in nil }
    ) -> SessionUploadTask {
        make(.file(request, file), nil, handler, SessionUploadTask.init)
    }

    /// A suspended upload of bytes.
    package func uploadTask(
        with request: URLRequest, from data: Data?,
        handler: MakesHandler = { _ in nil }
    ) -> SessionUploadTask {
        make(.bytes(request, data ?? Data()), nil, handler, SessionUploadTask.init)
    }

    /// A suspended upload of a stream, for which the task's handler is asked.
    package func uploadTask(
        withStreamedRequest request: URLRequest, handler: MakesHandler = { _ in nil }
    ) -> SessionUploadTask {
        make(.stream(request), nil, handler, SessionUploadTask.init)
    }

    /// A suspended download.
    package func downloadTask(
        with request: URLRequest, handler: MakesHandler = { _ in nil }
    ) -> SessionDownloadTask {
        make(.download(request), DownloadFile(), handler, SessionDownloadTask.init)
    }

    /// A suspended download of the rest.
    package func downloadTask(
        withResumeData resumeData: Data, handler: MakesHandler = { _ in nil }
    ) -> SessionDownloadTask {
        do {
            let (request, file) = try ResumeData.claim(resumeData)
            return make(.download(request), file, handler, SessionDownloadTask.init)
        } catch {
            let nothing = URLRequest(url: URL(fileURLWithPath: "/"))
            return failed(.download(nothing), nil, error, handler, SessionDownloadTask.init)
        }
    }

    /// The field Cookie that a task of a request would be sent with now; nil for none.
    package func cookieHeader(for request: URLRequest) -> String? {
        options.current.configuration(with: settings.connection)
            .cookieHeader(for: settings.applied(to: request))
    }

    /// The tasks that have not ended, the oldest first.
    package var tasks: [SessionTask] {
        state.withLock { $0.tasks }.values.sorted { $0.number < $1.number }
    }

    /// Whether the task is one of `tasks`.
    package func isListing(_ task: SessionTask) -> Bool {
        state.withLock { $0.tasks[task.number] } === task
    }

    /// How many bytes of a body may be kept in memory: `limits.bodyInMemory` of the options' `connection`, or the default.
    package var limitOfBodyInMemory: Int64 {
        options.withLock { $0.connection?.limits.bodyInMemory } ?? LoadLimits().bodyInMemory
    }

    /// Has the delegate asked again about servers.
    package func forgetAnswersAboutServers() {
        servers.removeAll()
    }

    // MARK: - Delegate and list

    /// Nil once the session is invalid.
    package var delegate: (any TaskSessionDelegate)? { state.withLock { $0.delegate } }

    /// The delegate, also once the session is invalid, unless it was released.
    package var lastDelegate: (any TaskSessionDelegate)? {
        state.withLock { $0.delegate ?? $0.former }
    }

    /// Has another delegate called from now on.
    package func replaceDelegate(by new: any TaskSessionDelegate) {
        let old = state.withLock { state in
            defer { if state.delegate != nil { state.delegate = new } }
            return state.delegate
        }
        // Released after the lock, here and below.
        withExtendedLifetime(old) {}
    }

    /// After the delegate's last call.
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

extension OperationQueue {
    /// A queue that runs one block at a time, on a thread of its own while there are any: a session's delegate's, or a
    /// request's.
    ///
    /// Without its serial `underlyingQueue` it would need a thread of Dispatch's pools, and a program's blocks
    /// that wait use those up (decision 21).
    package static func serial(
        named name: String, qos: DispatchQoS = .unspecified
    ) -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.name = name
        // Foundation's class retains it, though its declaration does not say so.
        let serial = DispatchQueue(label: name, qos: qos)
        queue.underlyingQueue = serial
        return queue
    }
}
