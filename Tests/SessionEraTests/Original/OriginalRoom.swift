import Foundation
import FoundationNetworking
import LoopbackServer
import SessionEra

/// A server with httpbin's routes and managers for it, for one test.
final class OriginalRoom {
    let server = LoopbackServer(routes: .httpbin)
    let http: HTTPSessionManager
    let url: URLSessionManager
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("original-\(UUID().uuidString)")

    init() throws {
        try server.start()
        let configuration = URLSessionConfiguration.ephemeral
        http = HTTPSessionManager(
            baseURL: server.baseURL, sessionConfiguration: configuration)
        url = URLSessionManager(sessionConfiguration: configuration)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        for manager in [http, url] {
            manager.invalidateSessionCancelingTasks(true, resetSession: false)
        }
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
