import Foundation
import LoopbackServer
import OperationNetworking

struct Token: Decodable, Sendable {
    var token: String
}

let server = LoopbackServer()
server.add("/token") { _ in .json("{\"token\": \"new\"}") }
server.add("/news") { request in
    request.headers["Authorization"] == "Bearer new" ? .json("[\"rain\"]") : .status(401)
}
try server.start()

// A manager without the interceptor gets the token, so that this request waits for none.
let signIn = HTTPRequestOperationManager(baseURL: server.baseURL)
let manager = HTTPRequestOperationManager(baseURL: server.baseURL)
manager.configuration.interceptor = AccessToken(for: server.baseURL, token: "expired") {
    try await signIn.post("token", as: Token.self).token
}

async let first = manager.get("news", as: [String].self)
async let second = manager.get("news", as: [String].self)
print(try await first + second)
print("tokens fetched:", server.requests.count { $0.path == "/token" })
