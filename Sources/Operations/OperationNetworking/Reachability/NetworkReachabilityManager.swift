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

/// Tells whether the network reaches a destination, and when that changes.
///
/// It asks the kernel which way packets would take, by its routes and the administrator's rules; it
/// sends nothing. So "reachable" means that packets could leave, not that a server would respond:
/// never refuse a request because of it. Nothing is watched before `startMonitoring()`; until the
/// first report the status is `.unknown` (RB-1). Where route sockets are refused, as in some
/// containers, and on other systems than Linux, the one report is `.unknown`.
///
/// ## Reports
/// Each start leads to a report. Then each change of the status, or of the interface by which packets
/// leave, leads to one; so the status can be the same as before (RB-3). For a report, one
/// block on main stores the status, calls the caller's block and posts the notification. Reports
/// come in order, and none comes after `stopMonitoring()`, also when it is called inside the block;
/// the original's could (wound 51). On Linux the program must run the main queue:
/// `RunLoop.main.run()` or `dispatchMain()`.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: main, never under the lock.
open class NetworkReachabilityManager: @unchecked Sendable {
    // @unchecked because a class that others may inherit from cannot be checked; all it has is constant.

    /// The manager of the network in general, as for the address 0.0.0.0: a way to a name server of
    /// the root, whose name is not looked up and which is sent nothing.
    public static let shared = NetworkReachabilityManager()

    /// Nil when there is nothing to watch.
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
    /// - Parameter domain: a numeric address stands for itself; `localhost` and names that end in
    ///   `.localhost` stand for the loopback addresses; any other name for the network in general.
    ///   With an empty name nothing is ever reported.
    public init(domain: String) {
        target = ReachabilityTarget(domain: domain)
        makeMonitor = { $0.monitor() }
        center = .default
    }

    /// Makes a manager for an address; 0.0.0.0 and :: stand for the network in general.
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

    /// The last report's status; kept after `stopMonitoring()` (RB-5).
    public var status: NetworkReachabilityStatus { state.withLock { $0.status } }

    /// Whether the destination can be reached, by whatever kind of network.
    public var isReachable: Bool {
        let status = status
        return status == .reachableViaWWAN || status == .reachableViaWiFi
    }

    /// Whether the destination can be reached over a mobile network.
    public var isReachableViaWWAN: Bool { status == .reachableViaWWAN }

    /// Whether the destination can be reached over WiFi, cable or the loopback interface.
    public var isReachableViaWiFi: Bool { status == .reachableViaWiFi }

    /// The status in words, as `NetworkReachabilityStatus.localizedDescription` (RB-6).
    public func localizedNetworkReachabilityStatusString() -> String {
        status.localizedDescription
    }

    // MARK: - Monitoring

    /// Starts to watch, or starts again (RB-2); never waits for a report.
    public func startMonitoring() {
        state.withLock { state in
            guard let target else { return }
            state.run.begin(makeMonitor(target)) { [weak self] status, run in
                DispatchQueue.main.async { self?.deliver(status, run: run) }
            }
        }
    }

    /// Stops watching. No block and no notification begins after this, except one that main has
    /// begun while another thread calls this.
    public func stopMonitoring() {
        state.withLock { $0.run.end() }
    }

    /// Sets the block that each report calls on main; nil for none. It is not called for earlier
    /// reports.
    public func setReachabilityStatusChangeBlock(
        _ block: (@Sendable (NetworkReachabilityStatus) -> Void)?
    ) {
        // The old block is released after the lock is left, because what it holds may call the
        // manager in its `deinit`.
        let old = state.withLock { state in
            defer { state.block = block }
            return state.block
        }
        withExtendedLifetime(old) {}
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
