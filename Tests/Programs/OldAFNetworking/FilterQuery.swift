import AFNetworking

func sendFilter(_ baseURL: URL, _ completion: @escaping (String?) -> Void) {
    let filter: [String: Any] = [
        "range": ["min": 1, "max": 9],
        "tags": ["a", "b"],
        "active": true,
        "parent": NSNull(),
    ]
    let manager = AFHTTPRequestOperationManager(baseURL: baseURL)
    manager.responseSerializer = AFHTTPResponseSerializer()
    manager.get(
        "ok", parameters: filter,
        success: { operation, _ in
            completion(operation.request.url?.query)
        },
        failure: { _, _ in
            completion(nil)
        })
}
