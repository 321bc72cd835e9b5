// swift-format-ignore-file: NeverForceUnwrap
import AFNetworking

/// A server that wants `key:value;key:value`.
func oldQuery(_ baseURL: URL, _ completion: @escaping (String?) -> Void) {
    let manager = AFHTTPRequestOperationManager(baseURL: baseURL)
    manager.responseSerializer = AFHTTPResponseSerializer()
    manager.requestSerializer.setQueryStringSerializationWith {
        (request, parameters, error) -> String in
        let pairs = parameters as! [String: String]
        return pairs.keys.sorted().map { "\($0):\(pairs[$0]!)" }.joined(separator: ";")
    }
    manager.get(
        "ok", parameters: ["b": "2", "a": "1"],
        success: { operation, _ in
            completion(operation.request.url?.query)
        },
        failure: { _, _ in
            completion(nil)
        })
}
