import AFNetworking

// Tasks in constants, dictionaries and weak variables, as Foundation's types.

class HeldTasks {
    let manager: AFHTTPSessionManager
    weak var current: URLSessionDataTask?
    weak var download: URLSessionDownloadTask?
    var all: [String: URLSessionTask] = [:]

    init(_ server: URL) {
        manager = AFHTTPSessionManager(baseURL: server)
    }

    /// - Parameter completion: called with whether the block's task is the one that is held.
    func load(_ path: String, completion: @escaping (Bool, Error?) -> Void) {
        current = manager.get(
            path, parameters: nil, progress: nil,
            success: { task, responseObject in completion(task === self.current, nil) },
            failure: { task, error in completion(task === self.current, error) })
    }

    func prepareDownload(_ url: URL) {
        download = manager.downloadTask(
            with: URLRequest(url: url), progress: nil, destination: nil, completionHandler: nil)
    }

    func read(_ url: URL, completion: @escaping (Int) -> Void) -> URLSessionDataTask {
        let task = manager.dataTask(with: URLRequest(url: url)) { response, object, error in
            completion((response as? HTTPURLResponse)?.statusCode ?? 0)
        }
        all["read"] = task
        task.resume()
        return task
    }

    func fetch(_ url: URL, to file: URL, completion: @escaping () -> Void)
        -> URLSessionDownloadTask?
    {
        let task = manager.downloadTask(
            with: URLRequest(url: url), progress: nil, destination: { _, _ in file }
        ) { response, place, error in
            completion()
        }
        all["fetch"] = task
        task.resume()
        return task
    }

    func send(_ data: Data, to path: String, completion: @escaping () -> Void) {
        let task = manager.post(
            path, parameters: ["a": 1], progress: nil, success: { _, _ in completion() },
            failure: { _, _ in completion() })
        all["send"] = task
    }
}
