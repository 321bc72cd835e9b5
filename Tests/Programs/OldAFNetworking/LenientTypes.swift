import AFNetworking

func readLenientJSON(_ url: String, _ completion: @escaping (Any?) -> Void) {
    // snippet: begin
    let manager = AFHTTPRequestOperationManager()
    manager.responseSerializer = AFJSONResponseSerializer(readingOptions: .mutableContainers)
    manager.responseSerializer.acceptableContentTypes = ["application/json", "text/html"]
    manager.get(
        url, parameters: nil,
        success: { (operation, responseObject) in
            completion(responseObject)
        },
        failure: { (operation, error) in
            completion(nil)
        })
    // snippet: end
}
