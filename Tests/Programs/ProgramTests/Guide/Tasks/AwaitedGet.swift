import Foundation
import FoundationNetworking
import OperationNetworking

func rates(_ url: URL) async throws -> [String: Double] {
    // snippet: begin
    let operation = HTTPRequestOperation(request: URLRequest(url: url))
    operation.responseSerializer = JSONResponseSerializer()
    let object = try await operation.result()
    // snippet: end
    return object as? [String: Double] ?? [:]
}
