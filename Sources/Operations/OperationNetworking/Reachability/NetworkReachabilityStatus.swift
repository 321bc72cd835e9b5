/// Whether, and over what, the network reaches a destination.
public enum NetworkReachabilityStatus: Int, Sendable {
    /// Nothing is known: it was never monitored, or the system does not tell.
    case unknown = -1
    /// No usable route leads there.
    case notReachable = 0
    /// A route leads there over a mobile network.
    case reachableViaWWAN = 1
    /// A route leads there over anything else; cable counts as WiFi, as in the original.
    case reachableViaWiFi = 2

    /// The status in words: "Unknown", "Not Reachable", "Reachable via WWAN" or
    /// "Reachable via WiFi" (RB-6).
    public var localizedDescription: String {
        switch self {
        case .unknown: "Unknown"
        case .notReachable: "Not Reachable"
        case .reachableViaWWAN: "Reachable via WWAN"
        case .reachableViaWiFi: "Reachable via WiFi"
        }
    }
}
