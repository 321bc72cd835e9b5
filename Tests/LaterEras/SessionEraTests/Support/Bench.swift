import OperationNetworking
import SessionEra
import TestSupport

extension SessionTransport {
    /// What a test runs on that both can do.
    static let both = [SessionTransport.connection, .foundation]
}

/// A server and a manager for one test; both end with it. `use` says what the manager runs on.
final class Bench: Sendable {
    let server: LoopbackServer
    private let configuration: @Sendable () -> URLSessionConfiguration
    private let managers: Locked<[URLSessionManager]>

    init(
        _ transport: SessionTransport = .connection,
        _ change: @escaping @Sendable (URLSessionConfiguration) -> Void = { _ in }
    ) throws {
        server = LoopbackServer()
        try server.start()
        configuration = {
            let configuration = URLSessionConfiguration.ephemeral
            change(configuration)
            return configuration
        }
        managers = Locked([])
        use(transport)
    }

    /// The manager of the transport that was named last.
    var manager: URLSessionManager { managers.withLock { $0[$0.count - 1] } }

    func use(_ transport: SessionTransport) {
        managers.withLock { managers in
            if managers.last?.transport == transport { return }
            let manager = URLSessionManager(
                sessionConfiguration: configuration(), transport: transport)
            manager.responseSerializer = HTTPResponseSerializer()
            managers.append(manager)
        }
    }

    deinit {
        for manager in managers.withLock({ $0 }) {
            manager.invalidateSessionCancelingTasks(true, resetSession: false)
        }
        server.stop()
    }

    func request(_ path: String, method: String = "GET", host: String? = nil) -> URLRequest {
        var request = URLRequest(url: server.url(path, host: host))
        request.httpMethod = method
        request.timeoutInterval = 20
        return request
    }

    // MARK: - One task to its end

    /// What a completion handler was given.
    struct Outcome: @unchecked Sendable {
        // @unchecked because it is made once and then only read.
        var response: HTTPURLResponse?
        var object: Any?
        var place: URL?
        var error: (any Error)?
        var wasMain = false

        var status: Int? { response?.statusCode }
        var data: Data? { object as? Data }
        var text: String? { data.map { String(decoding: $0, as: UTF8.self) } }
        var code: Int? { error.map { ($0 as NSError).code } }
    }

    func outcome(
        _ make: (@escaping URLSessionManager.CompletionHandler) -> SessionTask
    ) async -> Outcome {
        await withCheckedContinuation { continuation in
            let task = make { response, object, error in
                continuation.resume(
                    returning: Outcome(
                        response: response as? HTTPURLResponse, object: object, error: error,
                        wasMain: MainQueue.isCurrent))
            }
            task.resume()
        }
    }

    func data(_ request: URLRequest) async -> Outcome {
        await outcome { self.manager.dataTask(with: request, completionHandler: $0) }
    }

    func data(_ path: String) async -> Outcome { await data(request(path)) }

    func download(
        _ make: (@escaping URLSessionManager.DownloadCompletionHandler) -> SessionDownloadTask
    ) async -> Outcome {
        await withCheckedContinuation { continuation in
            let task = make { response, place, error in
                continuation.resume(
                    returning: Outcome(
                        response: response as? HTTPURLResponse, place: place, error: error,
                        wasMain: MainQueue.isCurrent))
            }
            task.resume()
        }
    }

    func download(_ path: String, to place: URL?) async -> Outcome {
        var destination: URLSessionManager.Destination?
        if let place { destination = { _, _ in place } }
        return await download { [destination] in
            self.manager.downloadTask(
                with: self.request(path), destination: destination, completionHandler: $0)
        }
    }

    /// A file name in the temporary directory that nothing has.
    static func freshPlace() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).test")
    }
}

/// Notifications of one object, as long as it lives.
final class Notices: @unchecked Sendable {
    // @unchecked because it is constant once it is made.
    let log = Log<Notice>()
    private var tokens: [any NSObjectProtocol] = []

    struct Notice: @unchecked Sendable {
        // @unchecked because it is only read.
        let name: Notification.Name
        let object: AnyObject?
        let info: [AnyHashable: Any]
        let wasMain: Bool
    }

    init(_ names: Notification.Name..., of object: AnyObject? = nil) {
        for name in names {
            let token = NotificationCenter.default.addObserver(
                forName: name, object: object, queue: nil
            ) { [log] note in
                log.add(
                    Notice(
                        name: note.name, object: note.object as AnyObject?,
                        info: note.userInfo ?? [:], wasMain: MainQueue.isCurrent))
            }
            tokens.append(token)
        }
    }

    deinit {
        for token in tokens { NotificationCenter.default.removeObserver(token) }
    }

    var names: [Notification.Name] { log.all.map(\.name) }
}
