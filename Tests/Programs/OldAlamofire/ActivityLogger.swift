import Alamofire
import Foundation

class ActivityLogger {
    private let lock = NSLock()
    private var lines: [String] = []

    var all: [String] {
        lock.lock()
        defer { lock.unlock() }
        return lines
    }

    init() {
        let center = NotificationCenter.default
        for name in [
            Notification.Name.Task.DidResume, Notification.Name.Task.DidSuspend,
            Notification.Name.Task.DidCancel, Notification.Name.Task.DidComplete,
        ] {
            center.addObserver(forName: name, object: nil, queue: nil) { [weak self] in
                self?.note($0)
            }
        }
    }

    private func note(_ notification: Notification) {
        guard let userInfo = notification.userInfo,
            let task = userInfo[Notification.Key.Task] as? URLSessionTask,
            let url = task.originalRequest?.url
        else { return }
        let name = notification.name.rawValue.components(separatedBy: ".").last ?? ""
        let data = userInfo[Notification.Key.ResponseData] as? Data
        lock.lock()
        lines.append("\(url.path) \(name) \(data?.count ?? -1)")
        lock.unlock()
    }
}
