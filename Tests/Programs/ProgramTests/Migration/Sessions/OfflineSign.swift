import OperationNetworking
import SessionEra

@MainActor
final class OfflineSign {
    var isShown = false
    let manager: HTTPSessionManager

    init(manager: HTTPSessionManager) {
        self.manager = manager
    }

    // snippet: begin
    func watch() {
        manager.reachabilityManager.setReachabilityStatusChangeBlock { status in
            MainActor.assumeIsolated { self.isShown = status == .notReachable }
        }
        manager.reachabilityManager.startMonitoring()
    }
    // snippet: end
}
