import AFNetworking

class OfflineSign {
    var isShown = false
    let manager: AFHTTPSessionManager

    init(manager: AFHTTPSessionManager) {
        self.manager = manager
    }

    // snippet: begin
    func watch() {
        manager.reachabilityManager.setReachabilityStatusChange {
            (status: AFNetworkReachabilityStatus) in
            self.isShown = status == .notReachable
        }
        manager.reachabilityManager.startMonitoring()
    }
    // snippet: end
}
