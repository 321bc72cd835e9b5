import Foundation
import FoundationNetworking
import OperationNetworking

func messageOfFailure(_ url: String, _ completion: @escaping @Sendable (Int, String) -> Void) {
    // snippet: begin
    let manager = HTTPRequestOperationManager()
    manager.get(
        url,
        failure: { operation, error in
            let data = (error as? ResponseSerializationError)?.data
            let text = data.map { String(decoding: $0, as: UTF8.self) } ?? ""
            completion(operation?.response?.statusCode ?? 0, text)
        })
    // snippet: end
}
