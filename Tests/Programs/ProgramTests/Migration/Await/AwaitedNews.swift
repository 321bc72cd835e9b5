import Foundation
import FoundationNetworking
import OperationNetworking

func firstNews(_ server: URL) async throws -> String {
    let manager = HTTPRequestOperationManager(baseURL: server)
    // snippet: begin
    var request = URLRequest(url: server.appendingPathComponent("news"))
    request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
    let (bytes, _) = try await manager.bytes(for: request)
    for try await event in bytes.events where event.type == "headline" {
        return event.data  // Leaving the loop closes the connection.
    }
    // snippet: end
    return ""
}
