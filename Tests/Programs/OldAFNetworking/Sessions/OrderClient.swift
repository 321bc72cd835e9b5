import AFNetworking

// snippet: begin
class OrderClient: AFHTTPSessionManager {
    func order(_ lines: [String: Int], completion: @escaping (Int?, Error?) -> Void) {
        requestSerializer = AFJSONRequestSerializer()
        post(
            "orders", parameters: lines, headers: nil, progress: nil,
            success: { task, responseObject in
                let answer = responseObject as? [String: Any]
                completion(answer?["number"] as? Int, nil)
            },
            failure: { task, error in
                completion(nil, error)
            })
    }
}
// snippet: end
