// swift-format-ignore-file: NeverForceUnwrap
import AFNetworking

// Blocks and notifications in the old types.

class TaskWatcher {
    let manager: AFURLSessionManager
    var task: URLSessionDataTask?
    var events: [String] = []
    private let lock = NSLock()
    private var tokens: [Any] = []

    init(_ manager: AFURLSessionManager) {
        self.manager = manager
        manager.setTaskDidComplete { (session: URLSession, task: URLSessionTask, error: Error?) in
            self.add("complete \(task.taskIdentifier > 0) \(error == nil)")
        }
        manager.setDataTaskDidReceiveResponseBlock {
            (session: URLSession, dataTask: URLSessionDataTask, response: URLResponse)
                -> URLSession.ResponseDisposition in
            self.add("response \((response as! HTTPURLResponse).statusCode)")
            return .allow
        }
        manager.setDataTaskDidReceiveDataBlock {
            (session: URLSession, dataTask: URLSessionDataTask, data: Data) in
            self.add("data \(data.count)")
        }
        manager.setTaskWillPerformHTTPRedirectionBlock {
            (session: URLSession, task: URLSessionTask, response: URLResponse, request: URLRequest)
                -> URLRequest? in
            self.add("redirect \(request.url!.path)")
            return request
        }
        manager.setSessionDidBecomeInvalidBlock { (session: URLSession, error: Error) in
            self.add("invalid")
        }
    }

    func observe(_ server: URL) {
        let names: [NSNotification.Name] = [
            .AFNetworkingTaskDidResume, .AFNetworkingTaskDidComplete, .AFNetworkingTaskDidSuspend,
        ]
        for name in names {
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                    // Old programs cast to URLSessionTask here, which gives nil now.
                    let task = $0.object as? SessionTask
                    guard task?.originalRequest?.url?.port == server.port else { return }
                    let error = $0.userInfo?[AFNetworkingTaskDidCompleteErrorKey] as? Error
                    self.add("\($0.name.rawValue) \(error == nil)")
                })
        }
    }

    func load(_ url: URL, completion: @escaping () -> Void) {
        task = manager.dataTask(
            with: URLRequest(url: url),
            completionHandler: { (_: URLResponse, _: Any?, _: Error?) in
                self.add("handler")
                // Behind the notification, which is sent to main after this.
                DispatchQueue.main.async { DispatchQueue.main.async { completion() } }
            })
        manager.setTaskDidComplete { (_: URLSession, other: URLSessionTask, _: Error?) in
            self.add("complete \(other === self.task)")
        }
        task?.resume()
    }

    func forget() {
        tokens.forEach { NotificationCenter.default.removeObserver($0) }
    }

    func add(_ event: String) {
        lock.lock()
        events.append(event)
        lock.unlock()
    }
}

/// Credentials as AFNetworking 4 took them, by the type of what is returned.
func logIn(_ manager: AFURLSessionManager, user: String, password: String) {
    manager.setAuthenticationChallengeHandler {
        (session: URLSession, task: URLSessionTask, challenge: URLAuthenticationChallenge, _)
            -> Any in
        if challenge.previousFailureCount > 0 {
            return NSError(domain: "login", code: 7)
        }
        return URLCredential(user: user, password: password, persistence: .none)
    }
}

/// The same as 2.x and 3.x had it, behind a pointer.
func logInBefore(_ manager: AFURLSessionManager, user: String, password: String) {
    manager.setTaskDidReceiveAuthenticationChallenge { (session, task, challenge, credential) in
        guard challenge.previousFailureCount == 0 else { return .cancelAuthenticationChallenge }
        credential?.pointee = URLCredential(user: user, password: password, persistence: .none)
        return .useCredential
    }
}
