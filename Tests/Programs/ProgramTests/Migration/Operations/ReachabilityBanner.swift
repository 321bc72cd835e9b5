import OperationNetworking

@MainActor
final class ReachabilityBanner {
    var text = ""
    let manager: NetworkReachabilityManager

    init(manager: NetworkReachabilityManager = .shared) {
        self.manager = manager
    }

    // snippet: begin
    func start() {
        manager.setReachabilityStatusChangeBlock { status in
            MainActor.assumeIsolated { self.show(status) }
        }
        manager.startMonitoring()
    }

    private func show(_ status: NetworkReachabilityStatus) {
        switch status {
        case .reachableViaWiFi, .reachableViaWWAN: text = ""
        case .notReachable: text = "No connection"
        case .unknown: text = status.localizedDescription
        }
    }
    // snippet: end
}
