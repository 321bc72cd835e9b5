import AFNetworking

/// The session managers' calls in Swift 6 mode.
func sessionSample(data: Data, url: URL, request: URLRequest) {
    let manager = AFHTTPSessionManager(baseURL: URL(string: "http://127.0.0.1:8080/"))
    manager.requestSerializer = AFJSONRequestSerializer()
    let first: URLSessionDataTask? = manager.get(
        "get", parameters: ["a": 1], headers: ["X-A": "b"], progress: nil,
        success: { (task: URLSessionDataTask, responseObject: Any?) in
        },
        failure: { (task: URLSessionDataTask?, error: Error) in
        })
    first?.cancel()
    manager.get(
        "get", parameters: nil, progress: { progress in },
        success: { task, responseObject in }, failure: { task, error in })
    manager.post(
        "post", parameters: nil,
        constructingBodyWith: { (formData: AFMultipartFormData) in
            formData.appendPart(
                withFileData: data, name: "f", fileName: "a.png", mimeType: "image/png")
        }, success: { (task: URLSessionDataTask, responseObject: Any) in }, failure: nil)
    let task: URLSessionDataTask = manager.dataTask(with: request) {
        (response: URLResponse, responseObject: Any?, error: Error?) in
    }
    task.resume()
    let download = manager.downloadTask(
        with: request, progress: nil, destination: { target, response in url },
        completionHandler: { response, file, error in })
    download.resume()
    manager.setTaskDidComplete { (session: URLSession, task: URLSessionTask, error: Error?) in }
    manager.invalidateSessionCancelingTasks(true)
}
