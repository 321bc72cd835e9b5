import Foundation
import FoundationNetworking
import OperationNetworking

func helloJSON(_ baseURL: URL, _ completion: @escaping @Sendable (String) -> Void) {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: baseURL)
    manager.get("get", parameters: ["foo": "bar"]) { _, object in
        let json = object as? [String: Any]
        completion("JSON: \(json?["foo"] ?? "nothing")")
    } failure: { _, error in
        completion("Error: \(error.localizedDescription)")
    }
    // snippet: end
}
