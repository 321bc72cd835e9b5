import Alamofire
import Foundation

/// What programs do with the tasks of requests.
class TaskKeeper {
    let sessionManager = SessionManager(configuration: .ephemeral)
    private(set) var lines: [String] = []
    private let lock = NSLock()
    weak var latest: URLSessionTask?
    private var tasks: [URLSessionTask] = []

    init() {
        let delegate: SessionDelegate = sessionManager.delegate
        delegate.taskWillPerformHTTPRedirection = {
            (
                session: URLSession, task: URLSessionTask, response: HTTPURLResponse,
                request: URLRequest
            ) -> URLRequest? in
            self.note("redirect \(task === self.latest) \(response.statusCode)")
            return request
        }
        delegate.dataTaskDidReceiveResponse = { session, dataTask, response in
            let known: [URLSessionTask] = self.tasks
            self.note("response \(known.contains(dataTask))")
            return .allow
        }
        delegate.taskDidComplete = { session, task, error in
            let finished: URLSessionTask = task
            self.note("end \(finished.originalRequest?.url?.path ?? "")")
        }
    }

    private func note(_ line: String) {
        lock.lock()
        lines.append(line)
        lock.unlock()
    }

    func load(_ url: String, completion: @escaping (Int?) -> Void) -> DataRequest {
        sessionManager.startRequestsImmediately = false
        let request = sessionManager.request(url)
        latest = request.task
        if let task = request.task { tasks.append(task) }
        note("own \(sessionManager.delegate[latest ?? URLSessionTask()] === request)")
        request.response { completion($0.response?.statusCode) }
        request.resume()
        return request
    }

    /// The kinds of two requests' tasks.
    func kinds(_ url: String) -> [Bool] {
        sessionManager.startRequestsImmediately = false
        let data = sessionManager.request(url)
        let download = sessionManager.download(url)
        defer { [data, download].forEach { ($0 as Request).cancel() } }
        return [
            data.task is URLSessionDataTask, data.task is URLSessionDownloadTask,
            download.task is URLSessionDownloadTask, download.task is URLSessionDataTask,
        ]
    }
}

/// A delegate of the program's own that looks at pieces and ends.
class PieceCounter: SessionDelegate {
    private(set) var pieces = 0
    private(set) var ends: [String] = []

    override func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {
        pieces += 1
        super.urlSession(session, dataTask: dataTask, didReceive: data)
    }

    override func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?
    ) {
        ends.append(task.currentRequest?.url?.path ?? "")
        super.urlSession(session, task: task, didCompleteWithError: error)
    }
}
