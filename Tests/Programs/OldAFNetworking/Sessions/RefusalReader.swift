import AFNetworking

func readRefusal(_ url: String, completion: @escaping (Int, String) -> Void) {
    let manager = AFHTTPSessionManager()
    // snippet: begin
    manager.get(
        url, parameters: nil, headers: nil, progress: nil, success: nil,
        failure: { (task: URLSessionDataTask?, error: Error) in
            let info = (error as NSError).userInfo
            let data = info[AFNetworkingOperationFailingURLResponseDataErrorKey] as? Data
            let response = task?.response as? HTTPURLResponse
            completion(
                response?.statusCode ?? 0, String(data: data ?? Data(), encoding: .utf8) ?? "")
        })
    // snippet: end
}
