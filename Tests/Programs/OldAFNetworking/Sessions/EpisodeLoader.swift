import AFNetworking

class EpisodeLoader {
    let manager = AFURLSessionManager(sessionConfiguration: .default)

    // snippet: begin
    func load(
        _ url: URL, into folder: URL, progress: @escaping (Double) -> Void,
        completion: @escaping (URL?, Error?) -> Void
    ) {
        let task: URLSessionDownloadTask = manager.downloadTask(
            with: URLRequest(url: url),
            progress: { (downloadProgress: Progress) in
                progress(downloadProgress.fractionCompleted)
            },
            destination: { (targetPath: URL, response: URLResponse) -> URL in
                folder.appendingPathComponent(response.suggestedFilename ?? "file")
            },
            completionHandler: { (response: URLResponse, filePath: URL?, error: Error?) in
                completion(filePath, error)
            })
        task.resume()
    }
    // snippet: end
}
