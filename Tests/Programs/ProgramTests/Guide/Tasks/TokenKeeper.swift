import CurlConnection
import Foundation
import OperationNetworking

// snippet: begin
struct Token: Decodable, Sendable {
    var token: String
}

func members(_ server: URL, token: String) -> HTTPRequestOperationManager {
    // Without the interceptor: the request for a token waits for no token.
    let signIn = HTTPRequestOperationManager(baseURL: server)
    let manager = HTTPRequestOperationManager(baseURL: server)
    manager.configuration.interceptor = AccessToken(for: server, token: token) {
        try await signIn.post("token", as: Token.self).token
    }
    return manager
}
// snippet: end
