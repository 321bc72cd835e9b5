import Foundation
import OperationNetworking
import RequestEra
import SessionEra

struct Price: Decodable, Sendable {
    let name: String
    let euros: Double
}

func awaitedPrices(_ server: URL) async throws -> [String?] {
    // snippet: begin
    // One request by each API: an operation, a session's task, and a Request.
    let manager = HTTPRequestOperationManager(baseURL: server)
    let list = try await manager.get("prices", parameters: ["currency": "EUR"])

    let sessions = HTTPSessionManager(baseURL: server)
    let again = try await sessions.get("prices", headers: ["X-Client": "shop/2"])

    let request = SessionManager.default.request(server.appendingPathComponent("price"))
    let price = try await request.validate().serializingDecodable(Price.self).value
    // snippet: end
    sessions.invalidateSessionCancelingTasks(true, resetSession: false)
    return [(list as? [String])?.first, (again as? [String])?.first, price.name]
}
