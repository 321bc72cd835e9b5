import Foundation
import OperationNetworking

struct User: Codable, Sendable {
    var id: Int?
    var name: String
}

func addUser(_ base: URL) async throws -> (created: User, found: User) {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: base)
    let created = try await manager.post("users", body: User(name: "Ann"), as: User.self)
    let found = try await manager.get("users/\(created.id ?? 0)", as: User.self)
    // snippet: end
    return (created, found)
}
