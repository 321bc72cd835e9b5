public import Foundation
import Locking

extension Notification.Name {
    /// Posted on main after each report of a reachability manager; the object is nil, and the user
    /// info has the status under `networkingReachabilityNotificationStatusItem`.
    public static let networkingReachabilityDidChange = Notification.Name(
        "com.alamofire.networking.reachability.change")
}

/// The key of the status in the user info of `networkingReachabilityDidChange`: an `NSNumber` with
/// the raw value of a `NetworkReachabilityStatus`.
public let networkingReachabilityNotificationStatusItem =
    "AFNetworkingReachabilityNotificationStatusItem"

/// Whether a destination is reachable, and over which kind of network.
public enum NetworkReachabilityStatus: Int, Sendable {
    /// It was never monitored, or the kernel refuses to say.
    case unknown = -1
    /// There is no usable route.
    case notReachable = 0
    /// Over a mobile network.
    case reachableViaWWAN = 1
    /// Over any other network; cable counts as WiFi, as in AFNetworking.
    case reachableViaWiFi = 2

    /// "Unknown", "Not Reachable", "Reachable via WWAN" or "Reachable via WiFi".
    public var localizedDescription: String {
        switch self {
        case .unknown: "Unknown"
        case .notReachable: "Not Reachable"
        case .reachableViaWWAN: "Reachable via WWAN"
        case .reachableViaWiFi: "Reachable via WiFi"
        }
    }
}

/// Reports whether a destination is reachable, and when that changes.
///
/// It asks the kernel for a route, and sends nothing. So "reachable" means that packets could leave, not
/// that a server would respond: never refuse a request because of it. Nothing is watched before
/// `startMonitoring()`; until the first report the status is `.unknown`. If the kernel refuses netlink
/// sockets, as in some containers, the only report is `.unknown`.
///
/// ## Reports
/// Each start leads to a report, and so does each change of the status or of the interface by which
/// packets leave; the status can therefore be the same as before. A report stores the status, calls the
/// block and posts the notification, all on main. Reports come in order, and none comes after
/// `stopMonitoring()`, even if it is called inside the block; in AFNetworking one could. On Linux the
/// program must run the main queue, by `RunLoop.main.run()` or `dispatchMain()`.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: main, never under the lock.
open class NetworkReachabilityManager: @unchecked Sendable {
    // @unchecked because an open class cannot be checked; all its properties are constant.

    /// The manager of the network in general, as for the address 0.0.0.0: of the route to a root name
    /// server, to which nothing is sent.
    public static let shared = NetworkReachabilityManager()

    /// Nil if there is nothing to watch.
    let target: ReachabilityTarget?
    private let makeMonitor: @Sendable (ReachabilityTarget) -> any ReachabilityMonitor
    private let center: NotificationCenter

    private struct State {
        var status = NetworkReachabilityStatus.unknown
        var block: (@Sendable (NetworkReachabilityStatus) -> Void)?
        var run = MonitorRun()
    }

    private let state = Locked(State())

    // MARK: - Making

    /// Makes a manager of the network in general, as `shared` is.
    public init() {
        target = .general
        makeMonitor = { $0.monitor() }
        center = .default
    }

    /// Makes a manager for a host by its name, which is not looked up.
    ///
    /// - Parameter domain: a numeric address; `localhost` or a name that ends in `.localhost`, for the
    ///   loopback addresses; or any other name, for the network in general. With an empty name nothing
    ///   is ever reported.
    public init(domain: String) {
        target = ReachabilityTarget(domain: domain)
        makeMonitor = { $0.monitor() }
        center = .default
    }

    /// Makes a manager for an address; 0.0.0.0 and :: mean the network in general.
    ///
    /// - Parameter address: a `sockaddr_in` or `sockaddr_in6`, read before the call returns; the
    ///   port is ignored. With any other family nothing is ever reported.
    public init(address: UnsafeRawPointer) {
        target = NetworkAddress(socketAddress: address).map { ReachabilityTarget($0) }
        makeMonitor = { $0.monitor() }
        center = .default
    }

    init(
        target: ReachabilityTarget, center: NotificationCenter,
        makeMonitor: @escaping @Sendable (ReachabilityTarget) -> any ReachabilityMonitor
    ) {
        self.target = target
        self.center = center
        self.makeMonitor = makeMonitor
    }

    deinit {
        stopMonitoring()
    }

    // MARK: - Status

    /// The last report's status, even after `stopMonitoring()`.
    public var status: NetworkReachabilityStatus { state.withLock { $0.status } }

    /// Whether the destination is reachable over any network.
    public var isReachable: Bool {
        let status = status
        return status == .reachableViaWWAN || status == .reachableViaWiFi
    }

    /// Whether the destination is reachable over a mobile network.
    public var isReachableViaWWAN: Bool { status == .reachableViaWWAN }

    /// Whether the destination is reachable over WiFi, cable or the loopback interface.
    public var isReachableViaWiFi: Bool { status == .reachableViaWiFi }

    /// The status in words, as `NetworkReachabilityStatus.localizedDescription`.
    public func localizedNetworkReachabilityStatusString() -> String {
        status.localizedDescription
    }

    // MARK: - Monitoring

    /// Starts watching, or starts again. Does not wait for a report.
    public func startMonitoring() {
        state.withLock { state in
            guard let target else { return }
            state.run.begin(makeMonitor(target)) { [weak self] status, run in
                DispatchQueue.main.async { self?.deliver(status, run: run) }
            }
        }
    }

    /// Stops watching. No report begins after this, but one that main has begun may still end.
    public func stopMonitoring() {
        state.withLock { $0.run.end() }
    }

    /// Sets the block that is called on main for each later report; nil for none.
    public func setReachabilityStatusChangeBlock(
        _ block: (@Sendable (NetworkReachabilityStatus) -> Void)?
    ) {
        // The old block is released without the lock: a `deinit` of what it captured may call the
        // manager.
        var block = block
        state.withLock { swap(&$0.block, &block) }
    }

    /// Call on main.
    private func deliver(_ status: NetworkReachabilityStatus, run: Int) {
        let block: (@Sendable (NetworkReachabilityStatus) -> Void)? = state.withLock { state in
            guard state.run.number == run else { return nil }
            state.status = status
            return state.block
        }
        block?(status)
        guard state.withLock({ $0.run.number == run }) else { return }
        center.post(
            name: .networkingReachabilityDidChange, object: nil,
            userInfo: [
                networkingReachabilityNotificationStatusItem: NSNumber(value: status.rawValue)
            ])
    }
}
