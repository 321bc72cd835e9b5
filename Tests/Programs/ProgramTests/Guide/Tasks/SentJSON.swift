import Foundation
import OperationNetworking

func orderTea(_ base: URL) async throws -> [String: Int]? {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: base)
    manager.requestSerializer = JSONRequestSerializer()
    manager.requestSerializer.setValue("secret", forHTTPHeaderField: "X-Api-Key")
    // Throws if the status is not 2xx; `receipt` is the parsed answer, an `Any?`.
    let receipt = try await manager.post("orders", parameters: ["tea": 2, "milk": 1])
    // snippet: end
    return receipt as? [String: Int]
}
