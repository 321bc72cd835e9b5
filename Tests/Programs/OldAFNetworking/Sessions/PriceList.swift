import AFNetworking

func prices(_ server: URL, completion: @escaping ([String: Double]?) -> Void) {
    // snippet: begin
    let manager = AFHTTPSessionManager(baseURL: server)
    manager.get(
        "prices", parameters: ["currency": "EUR"], headers: ["X-Client": "shop/2"],
        progress: nil,
        success: { (task: URLSessionDataTask, responseObject: Any?) in
            completion(responseObject as? [String: Double])
        },
        failure: { (task: URLSessionDataTask?, error: Error) in
            completion(nil)
        })
    // snippet: end
}
