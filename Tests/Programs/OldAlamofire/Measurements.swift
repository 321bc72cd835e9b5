import Alamofire
import Foundation

/// A delegate that collects the system's measurements.
class Measurements: SessionDelegate {
    private let lock = NSLock()
    private var collected: [URLSessionTaskMetrics] = []

    var all: [URLSessionTaskMetrics] {
        lock.lock()
        defer { lock.unlock() }
        return collected
    }

    override func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        super.urlSession(session, task: task, didFinishCollecting: metrics)
        lock.lock()
        collected.append(metrics)
        lock.unlock()
    }
}

/// Says whether a request is under way, and lets it pass others.
func hurry(_ request: Request) -> URLSessionTask.State? {
    request.task?.priority = URLSessionTask.highPriority
    guard request.task?.state != URLSessionTask.State.completed else { return nil }
    return request.task?.state
}
