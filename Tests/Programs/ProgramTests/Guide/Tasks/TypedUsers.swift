import Foundation
import OperationNetworking

struct User: Codable, Sendable {
    var id: Int?
    var name: String
    var joinedAt: Date?
}

func addUser(
    _ base: URL, encoder: JSONEncoder, decoder: JSONDecoder
) async throws -> (created: User, found: User, again: User) {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: base)
    let created = try await manager.post("users", body: User(name: "Ann"), as: User.self)
    let found = try await manager.get("users/\(created.id ?? 0)", as: User.self)
    // For dates and snake_case. The encoder comes before the decoder; each may be left out.
    let again = try await manager.post(
        "users", body: found, as: User.self, encoder: encoder, decoder: decoder)
    // snippet: end
    return (created, found, again)
}
