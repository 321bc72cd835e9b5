import Foundation
import FoundationNetworking
import OperationNetworking

struct RequestFactory {
    let serializer = HTTPRequestSerializer()
    let manager = HTTPRequestOperationManager()

    // snippet: begin
    func send(
        _ url: String, parameters: [String: Any], completion: @escaping @Sendable (Int) -> Void
    ) throws {
        var request = try serializer.request(
            method: "POST", urlString: url, parameters: parameters)
        request.timeoutInterval = 5
        request.setValue("1", forHTTPHeaderField: "X-Attempt")
        let operation = manager.httpRequestOperation(with: request) { operation, _ in
            completion(operation.response?.statusCode ?? 0)
        } failure: { operation, _ in
            completion(operation?.response?.statusCode ?? -1)
        }
        manager.enqueue(operation)
    }
    // snippet: end
}
