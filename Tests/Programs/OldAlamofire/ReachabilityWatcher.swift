// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry
import Alamofire
import Foundation

// snippet: begin
class ReachabilityWatcher {
    let manager = NetworkReachabilityManager(host: "localhost")
    var text = ""

    func start() {
        manager?.listener = { status in
            switch status {
            case .notReachable:
                self.text = "No connection"
            case .unknown:
                self.text = "Unknown"
            case .reachable(.ethernetOrWiFi), .reachable(.wwan):
                self.text = "Connected"
            }
        }
        manager?.startListening()
    }
}
// snippet: end

class Connectivity {
    class func isConnectedToInternet() -> Bool {
        return NetworkReachabilityManager()!.isReachable
    }
}
