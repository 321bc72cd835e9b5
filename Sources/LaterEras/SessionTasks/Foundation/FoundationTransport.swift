import Foundation
import FoundationNetworking
import OperationNetworking

/// Foundation's session as the transport of tasks.
///
/// ## Concurrency
/// Call from: any thread. Lock: none here; the session has its own. Calls out on: nobody; its
/// delegate does.
final class FoundationTransport: TaskTransport {
    private let session: GuardedSession
    private let delegate: FoundationDelegate
    private let table = RawTaskTable()

    init(_ configuration: URLSessionConfiguration, _ delegateQueue: OperationQueue) {
        // Foundation caches no HTTP response on Linux (LX-08), and can crash when a task is
        // cancelled during the look-up.
        let uncached = configuration.copy() as? URLSessionConfiguration ?? configuration
        uncached.urlCache = nil
        // Foundation adds a configuration's header fields to every request, also to one that was
        // redirected to another origin (LX-11).
        let fields = uncached.httpAdditionalHeaders ?? [:]
        let credentials = RedirectedRequest.credentials(in: fields)
        uncached.httpAdditionalHeaders = fields.filter {
            ($0.key as? String).map { credentials[$0] == nil } ?? true
        }
        delegate = FoundationDelegate(table)
        session = GuardedSession(
            configuration: uncached, delegate: delegate, delegateQueue: delegateQueue)
        session.keep(credentials)
    }

    /// Connects with the session whose tasks these are, before the first task.
    func connect(to session: TaskSession) {
        delegate.connect(to: session)
    }

    var urlSession: URLSession { session }
    var madeURLSession: URLSession? { session }
    var isCancelled: Bool { session.isCancelled }

    func defect(of source: TransferSource) -> (any Error)? { source.foundationDefect }

    func defect(ofRedirectTo request: URLRequest, _ source: TransferSource) -> (any Error)? {
        RedirectedRequest.losesBody(request, of: source) ? SessionError.bodyLostInRedirect : nil
    }

    func makeTransfer(
        _ source: TransferSource, _ request: URLRequest, _ stream: BodyStream
    ) throws -> (any TaskTransfer)? {
        session.makeTask(source, for: try source.framed(request, reading: stream)).map {
            FoundationTransfer($0, table)
        }
    }

    func cookieHeader(for request: URLRequest) -> String? {
        let configuration = session.configuration
        guard configuration.httpShouldSetCookies, request.httpShouldHandleCookies,
            let url = request.url, let cookies = configuration.httpCookieStorage?.cookies(for: url)
        else { return nil }
        return HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
    }

    func taskDidEnd() {}

    func forgetAnswersAboutServers() {}

    func finishTasksAndInvalidate() { session.finishTasksAndInvalidate() }

    func invalidateAndCancel() { session.invalidateAndCancel() }
}
