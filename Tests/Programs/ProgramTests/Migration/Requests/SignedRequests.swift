import Foundation
import FoundationNetworking
import RequestEra
import Synchronization

// snippet: begin
final class TokenAdapter: RequestAdapter {
    private let token = Mutex<String?>(nil)

    func logIn(_ token: String) { self.token.withLock { $0 = token } }

    func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
        guard let token = token.withLock({ $0 }) else { throw NotLoggedIn() }
        var urlRequest = urlRequest
        urlRequest.setValue("Token \(token)", forHTTPHeaderField: "Authorization")
        return urlRequest
    }
}

struct NotLoggedIn: Error {}

struct SignedClient {
    let adapter = TokenAdapter()
    let sessionManager = SessionManager()

    init() {
        sessionManager.adapter = adapter
    }
}
// snippet: end
