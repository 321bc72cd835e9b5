import SessionEra
import TestSupport

/// A server with httpbin's routes and managers for it, for one test. `use` says what they run on.
final class OriginalRoom {
    let server = LoopbackServer.started(routes: .httpbin)
    private(set) var http: HTTPSessionManager
    private(set) var url: URLSessionManager
    private let folder = TemporaryFolder()

    init() {
        (http, url) = Self.managers(server, .connection)
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
    }

    func request(_ path: String, _ method: String = "GET") -> URLRequest {
        var request = URLRequest(url: server.url(path))
        request.httpMethod = method
        return request
    }

    func file(_ name: String) -> URL { folder.file(name) }
}
