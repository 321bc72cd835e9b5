import AFNetworking

class StoppedDownload {
    let manager = AFURLSessionManager(sessionConfiguration: .default)
    var task: URLSessionDownloadTask?
    var resumeData: Data?

    // snippet: begin
    func start(_ url: URL, to file: URL, completion: @escaping (Bool) -> Void) {
        let done = { (response: URLResponse, filePath: URL?, error: Error?) in
            completion(error == nil)
        }
        if let data = resumeData {
            task = manager.downloadTask(
                withResumeData: data, progress: nil, destination: { _, _ in file },
                completionHandler: done)
        } else {
            task = manager.downloadTask(
                with: URLRequest(url: url), progress: nil, destination: { _, _ in file },
                completionHandler: done)
        }
        task?.resume()
    }

    func stop() {
        task?.cancel(byProducingResumeData: { data in self.resumeData = data })
    }
    // snippet: end
}
