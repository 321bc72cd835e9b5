import AFNetworking

// In the style of programs on AFNetworking 4.

class ShopClient: AFHTTPSessionManager {
    var running: [URLSessionDataTask] = []
    var statuses: [Int] = []

    convenience init(server: URL) {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 20
        self.init(baseURL: server, sessionConfiguration: configuration)
        requestSerializer = AFJSONRequestSerializer()
        requestSerializer.setValue("shop/1", forHTTPHeaderField: "X-Client")
        responseSerializer.acceptableContentTypes = ["application/json", "text/html"]
    }

    func products(_ completion: @escaping ([String]?, Error?) -> Void) {
        let task = get(
            "products", parameters: ["page": 1], headers: ["X-Client": "shop/2"],
            progress: nil,
            success: { (task: URLSessionDataTask, responseObject: Any?) in
                if let response = task.response as? HTTPURLResponse {
                    self.statuses.append(response.statusCode)
                }
                completion(responseObject as? [String], nil)
            },
            failure: { (task: URLSessionDataTask?, error: Error) in
                completion(nil, error)
            })
        if let task = task { running.append(task) }
    }

    func order(_ lines: [String: Int], completion: @escaping (Int?) -> Void) {
        let task: URLSessionDataTask? = post(
            "orders", parameters: lines, headers: nil, progress: nil,
            success: { task, responseObject in
                let answer = responseObject as? [String: Any]
                completion(answer?["number"] as? Int)
            },
            failure: { task, error in
                self.statuses.append((task?.response as? HTTPURLResponse)?.statusCode ?? 0)
                completion(nil)
            })
        task?.taskDescription = "order"
    }

    func upload(_ photo: Data, progress: @escaping (Double) -> Void, done: @escaping (Bool) -> Void)
    {
        post(
            "photos", parameters: ["album": "a"], headers: nil,
            constructingBodyWith: { (formData: AFMultipartFormData) in
                formData.appendPart(
                    withFileData: photo, name: "photo", fileName: "p.jpg", mimeType: "image/jpeg")
            },
            progress: { (uploadProgress: Progress) in progress(uploadProgress.fractionCompleted) },
            success: { (task: URLSessionDataTask, responseObject: Any?) in done(true) },
            failure: { (task: URLSessionDataTask?, error: Error) in done(false) })
    }

    func exists(_ path: String, completion: @escaping (Bool) -> Void) {
        head(
            path, parameters: nil, headers: nil,
            success: { (task: URLSessionDataTask) in completion(true) },
            failure: { (task: URLSessionDataTask?, error: Error) in completion(false) })
    }

    func change(_ path: String, completion: @escaping ([String]) -> Void) {
        var seen: [String] = []
        let note = { (task: URLSessionDataTask, responseObject: Any?) in
            seen.append(task.originalRequest?.httpMethod ?? "")
            if seen.count == 3 { completion(seen.sorted()) }
        }
        put(path, parameters: nil, headers: nil, success: note, failure: nil)
        patch(path, parameters: nil, headers: nil, success: note, failure: nil)
        delete(path, parameters: nil, headers: nil, success: note, failure: nil)
    }

    func abandon() {
        running.forEach { $0.cancel() }
        invalidateSessionCancelingTasks(true, resetSession: true)
    }
}

/// One call of the factory, which does not start its task.
func customVerb(_ manager: AFHTTPSessionManager, _ completion: @escaping (Int) -> Void) {
    let task: URLSessionDataTask? = manager.dataTask(
        withHTTPMethod: "REPORT", urlString: "report", parameters: nil, headers: nil,
        uploadProgress: nil, downloadProgress: nil,
        success: { (task: URLSessionDataTask, responseObject: Any?) in
            completion((task.response as? HTTPURLResponse)?.statusCode ?? 0)
        },
        failure: { (task: URLSessionDataTask?, error: Error) in completion(-1) })
    assert(task?.state == .suspended)
    task?.resume()
}
