import Foundation
import FoundationNetworking
import OperationNetworking

func firstError(_ server: URL) async throws -> String? {
    let manager = HTTPRequestOperationManager(baseURL: server)
    // snippet: begin
    let log = URLRequest(url: server.appendingPathComponent("log"))
    let (bytes, response) = try await manager.bytes(for: log)
    // The status is not validated: the body of a 404 has lines as well.
    guard (response as? HTTPURLResponse)?.statusCode == 200 else { return nil }
    for try await line in bytes.lines where line.hasPrefix("error") {
        return line  // Leaving the loop closes the connection.
    }
    // snippet: end
    return nil
}
