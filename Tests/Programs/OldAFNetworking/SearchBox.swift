import AFNetworking

/// Only the newest search counts.
class SearchBox {
    private var current: AFHTTPRequestOperation?
    var cancelled = 0
    let manager: AFHTTPRequestOperationManager

    init(baseURL: URL) {
        manager = AFHTTPRequestOperationManager(baseURL: baseURL)
    }

    func search(_ text: String, completion: @escaping (Error?) -> Void) {
        current?.cancel()
        current = manager.get(
            "search", parameters: ["q": text],
            success: { (operation, responseObject) in
                completion(nil)
            },
            failure: { (operation, error) in
                if (error as NSError).code == NSURLErrorCancelled {
                    self.cancelled += 1
                }
                completion(error)
            })
    }
}
