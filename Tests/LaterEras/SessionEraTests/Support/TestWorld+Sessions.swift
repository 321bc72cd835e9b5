import OperationNetworking
import SessionEra
import TestSupport

/// What a completion handler was given.
struct Outcome: @unchecked Sendable {
    // @unchecked because it is made once and then only read.
    var response: HTTPURLResponse?
    var object: Any?
    var place: URL?
    var error: (any Error)?
    let wasMain: Bool

    init(
        _ response: URLResponse? = nil, _ object: Any? = nil, place: URL? = nil,
        _ error: (any Error)? = nil
    ) {
        self.response = response as? HTTPURLResponse
        (self.object, self.place, self.error) = (object, place, error)
        wasMain = MainQueue.isCurrent
    }

    var status: Int? { response?.statusCode }
    var data: Data? { object as? Data }
    var text: String? { data.map { String(decoding: $0, as: UTF8.self) } }
    var code: Int? { error.map { ($0 as NSError).code } }
}

/// A manager, which ends with the world.
extension TestWorld {
    static func sessions(
        _ change: @escaping @Sendable (URLSessionConfiguration) -> Void = { _ in }
    ) -> TestWorld {
        let world = TestWorld(routes: .standard, timeout: 20)
        let configuration = URLSessionConfiguration.ephemeral
        change(configuration)
        _ = world.own("manager", end: end) { made(configuration) }
        return world
    }

    var manager: URLSessionManager { own("manager", end: Self.end) { Self.made(.ephemeral) } }

    private static func made(_ configuration: URLSessionConfiguration) -> URLSessionManager {
        let manager = URLSessionManager(sessionConfiguration: configuration)
        manager.responseSerializer = HTTPResponseSerializer()
        return manager
    }

    private static func end(_ manager: URLSessionManager) {
        manager.invalidateSessionCancelingTasks(true, resetSession: false)
    }

    // MARK: - One task to its end

    func outcome(
        _ make: (@escaping URLSessionManager.CompletionHandler) -> SessionTask
    ) async -> Outcome {
        await withCheckedContinuation { continuation in
            let task = make { response, object, error in
                continuation.resume(returning: Outcome(response, object, error))
            }
            task.resume()
        }
    }

    /// A task that is not started, and what its handler is given.
    func dataTask(_ request: URLRequest) -> (SessionDataTask, Log<Outcome>) {
        let log = Log<Outcome>()
        return (manager.dataTask(with: request) { log.add(Outcome($0, $1, $2)) }, log)
    }

    func downloadTask(_ request: URLRequest) -> (SessionDownloadTask, Log<Outcome>) {
        let log = Log<Outcome>()
        let task = manager.downloadTask(with: request) { log.add(Outcome($0, place: $1, $2)) }
        return (task, log)
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
                continuation.resume(returning: Outcome(response, place: place, error))
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
