import AFNetworking

class TrafficLog {
    var lines: [String] = []
    private var token: NSObjectProtocol?

    // snippet: begin
    func start(_ manager: AFURLSessionManager) {
        token = NotificationCenter.default.addObserver(
            forName: .AFNetworkingTaskDidComplete, object: nil, queue: nil
        ) { notification in
            let error = notification.userInfo?[AFNetworkingTaskDidCompleteErrorKey] as? NSError
            self.lines.append("\(error?.code ?? 0)")
        }
    }
    // snippet: end

    func stop() {
        token.map { NotificationCenter.default.removeObserver($0) }
    }
}
