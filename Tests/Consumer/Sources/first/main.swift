import Foundation
import LoopbackServer
import OperationNetworking

struct User: Decodable, Sendable {
    var id: Int
    var name: String
}

// A server in this program, so that the example needs no network.
let server = LoopbackServer()
server.add("/users/7") { _ in .json("{\"id\": 7, \"name\": \"Ann\"}") }
try server.start()

// For a real server, pass URL(string: "https://api.example.com/") as the baseURL.
let manager = HTTPRequestOperationManager(baseURL: server.baseURL)
let user = try await manager.get("users/7", as: User.self)
print("user \(user.id): \(user.name)")
