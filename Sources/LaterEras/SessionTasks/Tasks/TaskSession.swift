package import CurlConnection
package import Foundation
package import FoundationNetworking
package import HTTPSemantics
import Locking
package import OperationNetworking

/// Makes tasks and calls the handler of each, as URLSession calls its delegate; they run on `URLConnection`.
///
/// It keeps its delegate until it is invalid (UM-30).
///
/// ## Concurrency
/// Call from: any thread. Lock: `state`, around the variables. Calls out on: the delegate queue;
/// see `TaskHandler` and `TaskSessionDelegate`.
package final class TaskSession: Sendable {
    // MARK: Set once

    /// The settings of the tasks; nobody changes them.
    package let configuration: URLSessionConfiguration
    /// Serial; the delegate is called on it (LX-17).
    package let delegateQueue: OperationQueue
    let thread: NetworkThread
    let settings: ConnectionSettings
    let events: EventBatch
    let servers = ServerAnswers()
    let shown: ShownSession
    /// The program's own session, which is shown in place of ours.
    private let given: URLSession?

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
        var forwardsCredentials = false
        var connection: URLConnectionConfiguration?
        var clock = NetworkClock.system
        var retryPolicy: RetryPolicy?
        var interceptor: (any RequestInterceptor)?
        var loadsLocalAddresses = false
        var observedManager: ObservedManager?
        var tasks: [UInt64: SessionTask] = [:]
    }

    let state: Locked<State>

    /// - Parameters:
    ///   - configuration: copied now.
    ///   - connection: see `connectionConfiguration`.
    ///   - delegate: kept until the session is invalid (UM-30).
    ///   - delegateQueue: of width 1 (LX-17).
    ///   - thread: carries the tasks.
    ///   - given: the program's own session, see `urlSession`.
    package init(
        configuration: URLSessionConfiguration, connection: URLConnectionConfiguration? = nil,
        delegate: any TaskSessionDelegate, delegateQueue: OperationQueue,
        thread: NetworkThread = .shared, showing given: URLSession? = nil
    ) {
        let copy = configuration.copy() as? URLSessionConfiguration ?? configuration
        self.given = given
        self.delegateQueue = delegateQueue
        self.configuration = copy
        self.thread = thread
        settings = ConnectionSettings(copy)
        events = EventBatch(delegateQueue)
        shown = ShownSession(copy, delegateQueue)
        state = Locked(State(delegate: delegate, connection: connection))
        state.withLock { $0.own = self }
        shown.connect(to: self)
    }

    // MARK: - Tasks

    package typealias MakesHandler = (SessionTask) -> (any TaskHandler)?

    // `handler` is called with the task before any list has it, and gives who hears of it: so that one knows it before its
    // end. Where it gives nil, the session's delegate hears.

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

    /// A suspended upload of a stream, for which the delegate is asked.
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

    /// A suspended download of the rest (UM-07).
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
        var connection = connectionConfiguration ?? settings.connection
        connection.clock = clock
        return connection.cookieHeader(for: settings.applied(to: request))
    }

    /// The tasks that have not ended, the oldest first.
    package var tasks: [SessionTask] {
        state.withLock { $0.tasks }.values.sorted { $0.number < $1.number }
    }

    /// Whether a task of it has not ended.
    package func isListing(_ task: SessionTask) -> Bool {
        state.withLock { $0.tasks[task.number] } === task
    }

    // MARK: - What is shown, and settings

    /// Foundation's session, the parameter of callers' blocks.
    ///
    /// None of the tasks runs in it: it is made when first asked for, from the same configuration; it shows these tasks,
    /// and invalidating it invalidates this session. One that was given is shown in its place.
    package var urlSession: URLSession { given ?? shown.session }

    /// The same, where there is one already.
    package var madeURLSession: URLSession? { given ?? shown.made }

    /// The same; nil where the process is exiting and nobody has asked for it before.
    package var urlSessionUnlessExiting: URLSession? {
        var session = madeURLSession
        if session == nil { ExitGate.whileOpen { session = urlSession } }
        return session
    }

    /// How many bytes of a body may be kept in memory: `limits.bodyInMemory` of `connectionConfiguration`.
    package var limitOfBodyInMemory: Int64 {
        state.withLock { $0.connection?.limits.bodyInMemory } ?? LoadLimits().bodyInMemory
    }

    /// Whether a redirect to another origin keeps the caller's credentials (LX-11).
    package var forwardsCredentialsToOtherOrigins: Bool {
        get { state.withLock { $0.forwardsCredentials } }
        set { state.withLock { $0.forwardsCredentials = newValue } }
    }

    /// What each `URLConnection` is set up with from its start on; nil follows `configuration`.
    package var connectionConfiguration: URLConnectionConfiguration? {
        get { state.withLock { $0.connection } }
        set { change { $0.connection = newValue } }
    }

    /// What limits of loads and delays before another try go by: that of `connectionConfiguration`, or
    /// where there is none, one of its own.
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
    /// none, one of its own.
    package var retryPolicy: RetryPolicy? {
        get { state.withLock { $0.connection?.retryPolicy ?? $0.retryPolicy } }
        set {
            change { state in
                state.connection?.retryPolicy = newValue
                state.retryPolicy = newValue
            }
        }
    }

    /// Changes requests and decides about those that failed: that of `connectionConfiguration`, or where there is none,
    /// one of its own.
    package var interceptor: (any RequestInterceptor)? {
        get { state.withLock { $0.connection?.interceptor ?? $0.interceptor } }
        set {
            change { state in
                state.connection?.interceptor = newValue
                state.interceptor = newValue
            }
        }
    }

    /// Whether `file:` and `data:` addresses are loaded: that of `connectionConfiguration`, or where there is none,
    /// one of its own.
    package var loadsLocalAddresses: Bool {
        get { state.withLock { $0.connection?.loadsLocalAddresses ?? $0.loadsLocalAddresses } }
        set {
            state.withLock { state in
                state.connection?.loadsLocalAddresses = newValue
                state.loadsLocalAddresses = newValue
            }
        }
    }

    /// Who hears of the tasks; nil where nobody observes.
    package var observedManager: ObservedManager? {
        get { state.withLock { $0.observedManager } }
        set {
            let old = state.withLock { state in
                defer { state.observedManager = newValue }
                return state.observedManager
            }
            withExtendedLifetime(old) {}
        }
    }

    /// What is replaced goes after the lock: it may be the caller's, and call the session in its `deinit`.
    private func change(_ change: (inout State) -> Void) {
        let old = state.withLock { state in
            let old = (state.connection, state.clock, state.retryPolicy, state.interceptor)
            change(&state)
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Has the delegate asked again about servers.
    package func forgetAnswersAboutServers() {
        servers.removeAll()
    }

    // MARK: - For transports

    /// Nil once the session is invalid.
    package var delegate: (any TaskSessionDelegate)? { state.withLock { $0.delegate } }

    /// The delegate, also once the session is invalid, as long as somebody else keeps it.
    package var lastDelegate: (any TaskSessionDelegate)? {
        state.withLock { $0.delegate ?? $0.former }
    }

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
