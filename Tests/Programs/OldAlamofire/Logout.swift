import Alamofire
import Foundation

/// What programs do when somebody logs out.
class Logout {
    let sessionManager = SessionManager(configuration: .ephemeral)
    private(set) var seen: [String] = []

    func cancelAll(then done: @escaping () -> Void) {
        sessionManager.session.getTasksWithCompletionHandler {
            dataTasks, uploadTasks, downloadTasks in
            self.seen.append("\(dataTasks.count) \(uploadTasks.count) \(downloadTasks.count)")
            dataTasks.forEach { $0.cancel() }
            uploadTasks.forEach { $0.cancel() }
            downloadTasks.forEach { $0.cancel() }
            done()
        }
    }

    func cancel(_ path: String, then done: @escaping () -> Void) {
        sessionManager.session.getAllTasks { tasks in
            for task in tasks where task.originalRequest?.url?.path == path {
                self.seen.append(
                    "\(task.state == .running) \(task.currentRequest?.url?.path ?? "")")
                task.suspend()
                task.resume()
                task.cancel()
            }
            done()
        }
    }
}
