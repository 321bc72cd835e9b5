import AFNetworking

class ReachabilityBanner: NSObject {
    var text = ""
    let manager: AFNetworkReachabilityManager

    init(manager: AFNetworkReachabilityManager = AFNetworkReachabilityManager.shared()) {
        self.manager = manager
    }

    // snippet: begin
    func start() {
        manager.setReachabilityStatusChange { (status: AFNetworkReachabilityStatus) in
            switch status {
            case .reachableViaWiFi, .reachableViaWWAN:
                self.text = ""
            case .notReachable:
                self.text = "No connection"
            default:
                self.text = AFStringFromNetworkReachabilityStatus(status)
            }
        }
        manager.startMonitoring()
    }
    // snippet: end

    func stop() {
        manager.stopMonitoring()
    }
}
