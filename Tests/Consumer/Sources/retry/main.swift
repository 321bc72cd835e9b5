import Foundation
import LoopbackServer
import OperationNetworking

// The server is busy at first, and answers the third request.
let server = LoopbackServer()
server.add("/news") { [unowned server] _ in
    server.requests.count < 3 ? .text("busy", status: 503) : .json("[\"rain\"]")
}
try server.start()

let manager = HTTPRequestOperationManager(baseURL: server.baseURL)
var policy = RetryPolicy()
policy.maximumAttempts = 3
policy.statusCodes = [429, 503]  // The default is 408, 429, 502, 503 and 504.
manager.configuration.retryPolicy = policy
let news = try await manager.get("news", as: [String].self)
print("\(news), after \(server.requests.count) requests")
