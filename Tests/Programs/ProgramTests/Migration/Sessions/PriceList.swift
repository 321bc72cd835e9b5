import Foundation
import SessionEra

func prices(_ server: URL, completion: @escaping @Sendable ([String: Double]?) -> Void) {
    // snippet: begin
    let manager = HTTPSessionManager(baseURL: server)
    manager.get("prices", parameters: ["currency": "EUR"], headers: ["X-Client": "shop/2"]) {
        _, object in
        completion(object as? [String: Double])
    } failure: { _, _ in
        completion(nil)
    }
    // snippet: end
}
