import OperationNetworking
import SessionEra

// snippet: begin
struct OrderClient {
    let manager: HTTPSessionManager

    func order(
        _ lines: [String: Int], completion: @escaping @Sendable (Int?, (any Error)?) -> Void
    ) {
        manager.requestSerializer = JSONRequestSerializer()
        manager.post("orders", parameters: lines) { _, object in
            completion((object as? [String: Any])?["number"] as? Int, nil)
        } failure: { _, error in
            completion(nil, error)
        }
    }
}
// snippet: end
