import CurlConnection
import Foundation
import FoundationNetworking
import Locking
import OperationNetworking

/// `URLConnection` on a network thread as the transport of tasks.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: the delegate queue.
final class ConnectionTransport: Sendable {
    let thread: NetworkThread
    let settings: ConnectionSettings
    let calls: DelegateCalls
    let servers = ServerAnswers()
    private let shown: ShownSession

    private struct State {
        var session: TaskSession?
        var isInvalid = false
        var isCancelled = false
        /// The transfers whose tasks have not ended.
        var runs = 0
        var lastIdentifier = 0
    }

    private let state = Locked(State())

    init(
        _ configuration: URLSessionConfiguration, _ delegateQueue: OperationQueue,
        on thread: NetworkThread
    ) {
        self.thread = thread
        settings = ConnectionSettings(configuration)
        calls = DelegateCalls(delegateQueue)
        shown = ShownSession(configuration, delegateQueue)
    }

    /// Connects with the session whose tasks these are, before the first task.
    func connect(to session: TaskSession) {
        state.withLock { $0.session = session }
        shown.connect(to: session)
    }

    /// Nil once it is invalid.
    var session: TaskSession? { state.withLock { $0.session } }

    var urlSession: URLSession { shown.session }
    var madeURLSession: URLSession? { shown.made }
    /// Whether the session's tasks were cancelled. The maker of a task that is not listed yet must cancel it.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// A load that has not begun; nil when the session is invalid.
    ///
    /// - Parameter request: the source's, or the one for the rest of a download.
    func makeTransfer(
        _ source: TransferSource, _ request: URLRequest, _ stream: BodyStream
    ) -> ConnectionTransfer? {
        let identifier = state.withLock { state -> Int? in
            if state.isInvalid { return nil }
            state.runs += 1
            state.lastIdentifier += 1
            return state.lastIdentifier
        }
        return identifier.map { ConnectionTransfer($0, source, request, stream, self) }
    }

    func cookieHeader(for request: URLRequest) -> String? {
        let session = session
        var connection = session?.connectionConfiguration ?? settings.connection
        if let session { connection.clock = session.clock }
        return connection.cookieHeader(for: settings.applied(to: request))
    }

    func forgetAnswersAboutServers() { servers.removeAll() }

    // MARK: - Ending

    /// A task has ended.
    func taskDidEnd() {
        state.withLock { $0.runs -= 1 }
        tellOfInvalidity()
    }

    func finishTasksAndInvalidate() {
        state.withLock { $0.isInvalid = true }
        tellOfInvalidity()
    }

    func invalidateAndCancel() {
        let session = state.withLock { state in
            state.isInvalid = true
            state.isCancelled = true
            return state.session
        }
        // The newest first: else a connection that becomes free goes to a task that is cancelled next.
        session?.tasks.reversed().forEach { $0.cancel() }
        tellOfInvalidity()
    }

    /// Tells, once, that the session is invalid and no task is left.
    private func tellOfInvalidity() {
        let session = state.withLock { state -> TaskSession? in
            guard state.isInvalid, state.runs == 0 else { return nil }
            defer { state.session = nil }
            return state.session
        }
        guard let session else { return }
        calls.add {
            session.toldOfInvalidity(nil)
            self.shown.end()
        }
    }
}
