import Foundation
import FoundationNetworking
import OperationNetworking

struct OrderSender {
    let manager = HTTPRequestOperationManager()

    func sendAsJSON(_ url: String, done: @escaping @Sendable () -> Void) {
        // snippet: begin
        manager.requestSerializer = JSONRequestSerializer()
        manager.requestSerializer.setValue("secret", forHTTPHeaderField: "X-Api-Key")
        manager.post(url, parameters: ["b": 2, "a": 1]) { _, _ in
            done()
        } failure: { _, _ in
            done()
        }
        // snippet: end
    }
}
