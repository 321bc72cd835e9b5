import CurlConnection
import Foundation
import OperationNetworking

func movedOrder(_ base: URL, token: String) async throws -> Any? {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: base)
    manager.requestSerializer.setAuthorizationHeaderField(bearerToken: token)
    // Without this a POST becomes a GET after a 301 or 302, as in a browser.
    manager.configuration.keepsMethodAfterRedirect = true
    let receipt = try await manager.post("orders", parameters: ["tea": 2])
    // snippet: end
    return receipt
}
