// swift-format-ignore-file: NeverForceUnwrap
import AFNetworking

// In the style of programs on AFNetworking 3 and 2.7.

class NewsLoader {
    let manager = AFHTTPSessionManager()

    func load(_ url: String, completion: @escaping (String) -> Void) {
        manager.responseSerializer = AFHTTPResponseSerializer()
        manager.get(
            url, parameters: nil, progress: nil,
            success: { (task: URLSessionDataTask, responseObject: Any?) in
                completion(String(data: responseObject as! Data, encoding: .utf8)!)
            },
            failure: { (task: URLSessionDataTask?, error: Error) in
                completion("failed")
            })
    }

    func send(_ url: String, completion: @escaping (Bool) -> Void) {
        manager.post(
            url, parameters: ["a": "b"],
            success: { (task: URLSessionDataTask, responseObject: Any?) in
                completion(true)
            }
        ) { (task: URLSessionDataTask?, error: Error) in
            completion(false)
        }
    }

    func form(_ url: String, completion: @escaping (Bool) -> Void) {
        manager.post(
            url, parameters: nil,
            constructingBodyWith: { formData in
                formData.appendPart(withForm: Data("x".utf8), name: "field")
            },
            success: { (task: URLSessionDataTask, responseObject: Any?) in completion(true) },
            failure: { (task: URLSessionDataTask?, error: Error) in completion(false) })
    }

    deinit {
        manager.invalidateSessionCancelingTasks(true)
    }
}

class FileLoader {
    let manager = AFURLSessionManager(sessionConfiguration: .default)
    var fractions: [Double] = []
    var current: URLSessionDownloadTask?

    func download(
        _ url: URL, to folder: URL, completion: @escaping (URLResponse, URL?, Error?) -> Void
    ) {
        let task: URLSessionDownloadTask = manager.downloadTask(
            with: URLRequest(url: url),
            progress: { (downloadProgress: Progress) in
                self.fractions.append(downloadProgress.fractionCompleted)
            },
            destination: { (targetPath: URL, response: URLResponse) -> URL in
                folder.appendingPathComponent(response.suggestedFilename ?? "file")
            },
            completionHandler: { (response: URLResponse, filePath: URL?, error: Error?) in
                completion(response, filePath, error)
            })
        task.resume()
        current = task
    }

    func read(_ url: URL, completion: @escaping (URLResponse, Any?, Error?) -> Void) {
        let task: URLSessionDataTask = manager.dataTask(
            with: URLRequest(url: url),
            completionHandler: { (response: URLResponse, object: Any?, error: Error?) in
                completion(response, object, error)
            })
        task.resume()
    }

    func store(_ data: Data, _ url: URL, completion: @escaping (Double?) -> Void) {
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        let task: URLSessionUploadTask = manager.uploadTask(
            with: request, from: data, progress: nil,
            completionHandler: { (response: URLResponse, object: Any?, error: Error?) in
                completion(error == nil ? 1 : nil)
            })
        let progress = manager.uploadProgress(for: task)
        assert(progress?.fractionCompleted == 0)
        task.resume()
    }

    func store(_ file: URL, at url: URL, completion: @escaping (Bool) -> Void) {
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        let task: URLSessionUploadTask = manager.uploadTask(
            with: request, fromFile: file, progress: nil,
            completionHandler: { (response: URLResponse, object: Any?, error: Error?) in
                completion(error == nil)
            })
        task.resume()
    }

    func stop(_ completion: @escaping (Data?) -> Void) {
        guard let current = current else { return completion(nil) }
        current.cancel(byProducingResumeData: completion)
    }

    func goOn(_ data: Data, to file: URL, completion: @escaping (URL?) -> Void) {
        let task: URLSessionDownloadTask = manager.downloadTask(
            withResumeData: data, progress: nil,
            destination: { (_: URL, _: URLResponse) in file },
            completionHandler: { (_: URLResponse, filePath: URL?, _: Error?) in
                completion(filePath)
            })
        task.resume()
    }

    var urls: [URL?] {
        let tasks: [URLSessionTask] = manager.tasks
        return tasks.map { $0.originalRequest?.url }
    }
}
