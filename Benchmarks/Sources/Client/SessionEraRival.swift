import Foundation
import FoundationNetworking
import OperationNetworking
import SessionEra

/// `HTTPSessionManager.get`: the session era.
final class SessionEraRival: Rival, @unchecked Sendable {
    // @unchecked because everything is set once, and the manager is safe from any thread.
    private let manager: HTTPSessionManager
    private let address: String

    init(_ assignment: Assignment) {
        manager = HTTPSessionManager(
            baseURL: nil, sessionConfiguration: assignment.sessionConfiguration)
        manager.responseSerializer =
            assignment.isJSON ? JSONResponseSerializer() : HTTPResponseSerializer()
        manager.completionQueue = DispatchQueue(label: "completion")
        address = assignment.url.absoluteString
    }

    func get(_ ended: @escaping @Sendable (Reply) -> Void) {
        manager.get(
            address,
            success: { task, object in
                let count = Int(task.countOfBytesReceived)
                ended(Reply(isGood: true, byteCount: count, object: object))
            }, failure: { _, error in ended(Reply(error)) })
    }

    func cancelAll() {
        manager.tasks.forEach { $0.cancel() }
    }

    func down(to path: String?, _ ended: @escaping @Sendable (Reply) -> Void) {
        ended(Reply(isGood: false))
    }

    func up(from path: String, _ ended: @escaping @Sendable (Reply) -> Void) {
        ended(Reply(isGood: false))
    }
}

extension Assignment {
    /// No cache, no cookies, as many connections as requests at once.
    var sessionConfiguration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = atOnce
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        return configuration
    }
}
