import Alamofire

class RedirectStopper {
    let sessionManager = Alamofire.SessionManager(configuration: URLSessionConfiguration.default)

    func stop(_ url: String, completion: @escaping (Int?) -> Void) {
        let delegate: Alamofire.SessionDelegate = sessionManager.delegate

        delegate.taskWillPerformHTTPRedirection = { session, task, response, request in
            if let target = request.url?.path, target.hasSuffix("get") {
                return nil
            }
            return request
        }
        sessionManager.request(url).response { completion($0.response?.statusCode) }
    }
}

/// Another way: a delegate of one's own.
class RedirectDiary: SessionDelegate {
    var lines: [String] = []

    override func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        lines.append("\(response.statusCode) \(request.url?.path ?? "")")

        super.urlSession(
            session,
            task: task,
            willPerformHTTPRedirection: response,
            newRequest: request,
            completionHandler: completionHandler
        )
    }
}
