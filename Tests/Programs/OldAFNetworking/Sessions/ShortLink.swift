import AFNetworking

func expand(
    _ url: URL, with manager: AFURLSessionManager, completion: @escaping (String?) -> Void
) {
    // snippet: begin
    manager.setTaskWillPerformHTTPRedirectionBlock {
        (session: URLSession, task: URLSessionTask, response: URLResponse, request: URLRequest)
            -> URLRequest? in
        nil  // the redirect is the response
    }
    let task: URLSessionDataTask = manager.dataTask(
        with: URLRequest(url: url),
        completionHandler: { (response: URLResponse, object: Any?, error: Error?) in
            completion((response as? HTTPURLResponse)?.allHeaderFields["Location"] as? String)
        })
    task.resume()
    // snippet: end
}
