import SessionEra
import TestSupport

/// A server with httpbin's routes and managers for it, for one test. `use` says what they run on.
final class OriginalRoom {
    let server = LoopbackServer(routes: .httpbin)
    private(set) var http: HTTPSessionManager
    private(set) var url: URLSessionManager
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("original-\(UUID().uuidString)")

    init() throws {
        try server.start()
        (http, url) = Self.managers(server, .connection)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func use(_ transport: SessionTransport) {
        leave()
        (http, url) = Self.managers(server, transport)
    }

    private static func managers(
        _ server: LoopbackServer, _ transport: SessionTransport
    ) -> (HTTPSessionManager, URLSessionManager) {
        let configuration = URLSessionConfiguration.ephemeral
        return (
            HTTPSessionManager(
                baseURL: server.baseURL, sessionConfiguration: configuration, transport: transport),
            URLSessionManager(sessionConfiguration: configuration, transport: transport)
        )
    }

    private func leave() {
        for manager in [http, url] {
            manager.invalidateSessionCancelingTasks(true, resetSession: false)
        }
    }

    deinit {
        leave()
        server.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    func request(_ path: String, method: String = "GET") -> URLRequest {
        var request = URLRequest(url: server.url(path))
        request.httpMethod = method
        return request
    }

    func file(_ name: String) -> URL { folder.appendingPathComponent(name) }
}

/// Waits for a handler that is called once.
func outcome<Value: Sendable>(
    _ body: (@escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
    await withCheckedContinuation { continuation in
        body { continuation.resume(returning: $0) }
    }
}
