import AFNetworking

class BackupClient {
    let manager = AFURLSessionManager(sessionConfiguration: .default)

    // snippet: begin
    func store(_ file: URL, at url: URL, completion: @escaping (Int?) -> Void) {
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        let task: URLSessionUploadTask = manager.uploadTask(
            with: request, fromFile: file, progress: nil,
            completionHandler: { (response: URLResponse, object: Any?, error: Error?) in
                completion((response as? HTTPURLResponse)?.statusCode)
            })
        task.resume()
    }
    // snippet: end
}
