// swift-format-ignore-file: NeverForceUnwrap
import AFNetworking

class ActivityLogger {
    var lines: [String] = []
    private var observers: [NSObjectProtocol] = []

    func start() {
        let center = NotificationCenter.default
        observers.append(
            center.addObserver(
                forName: NSNotification.Name.AFNetworkingOperationDidStart, object: nil, queue: nil
            ) { notification in
                guard let operation = notification.object as? AFHTTPRequestOperation else { return }
                self.lines.append("start " + operation.request.url!.path)
            })
        observers.append(
            center.addObserver(
                forName: NSNotification.Name.AFNetworkingOperationDidFinish, object: nil, queue: nil
            ) { notification in
                guard let operation = notification.object as? AFHTTPRequestOperation else { return }
                let status = operation.response?.statusCode ?? 0
                self.lines.append("finish \(status) " + operation.request.url!.path)
            })
    }

    func stop() {
        observers.forEach { NotificationCenter.default.removeObserver($0) }
        observers.removeAll()
    }
}
