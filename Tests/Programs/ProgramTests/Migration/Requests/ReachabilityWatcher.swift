import RequestEra

@MainActor
final class ReachabilityWatcher {
    let manager = NetworkReachabilityManager(host: "localhost")
    var text = ""

    // snippet: begin
    func start() {
        manager?.listener = { status in
            MainActor.assumeIsolated { self.show(status) }
        }
        manager?.startListening()
    }

    private func show(_ status: NetworkReachabilityManager.NetworkReachabilityStatus) {
        switch status {
        case .notReachable: text = "No connection"
        case .unknown: text = "Unknown"
        case .reachable: text = "Connected"
        }
    }
    // snippet: end
}
