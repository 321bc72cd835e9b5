// swift-format-ignore-file: NeverForceUnwrap
import AFNetworking

class RequestFactory {
    let serializer = AFHTTPRequestSerializer()
    let manager = AFHTTPRequestOperationManager()

    // snippet: begin
    func send(_ url: String, parameters: [String: Any], completion: @escaping (Int) -> Void) {
        var error: NSError?
        let request = serializer.request(
            withMethod: "POST", urlString: url, parameters: parameters, error: &error)
        if error != nil {
            completion(0)
            return
        }
        request.timeoutInterval = 5
        request.setValue("1", forHTTPHeaderField: "X-Attempt")
        let operation = manager.httpRequestOperation(
            with: request as URLRequest,
            success: { (operation, responseObject) in
                completion(operation.response!.statusCode)
            },
            failure: { (operation: AFHTTPRequestOperation, error: Error) in
                completion(operation.response?.statusCode ?? -1)
            })
        manager.operationQueue.addOperation(operation)
    }
    // snippet: end
}
