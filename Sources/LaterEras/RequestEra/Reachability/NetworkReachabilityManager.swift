public import Foundation
import Locking
import OperationNetworking

/// Reports whether the network reaches a host, and when that changes (AL-33).
///
/// It asks the kernel which way packets would take and sends nothing. "Reachable" means that
/// packets could leave, not that a server would respond: never hold a request back because of it.
/// Where route sockets are refused, as in some containers, the status is `.unknown`. Mobile
/// networks are reported as `.wwan` on Linux too; the original did that on iOS alone.
///
/// Store the manager: when it is released, it stops.
///
/// ## Reports
/// After `startListening()` the listener soon gets the first status, and then each that differs from
/// the one before it, in order, on `listenerQueue`. None comes after `stopListening()`, except one
/// that is being delivered when another thread calls that.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: `listenerQueue`, never under the
/// lock.
open class NetworkReachabilityManager: @unchecked Sendable {
    // @unchecked because a class that others may inherit from cannot be checked. Its properties
    // are constant; what changes is inside a `Locked`.

    /// Whether the network reaches the host.
    public enum NetworkReachabilityStatus: Equatable, Sendable {
        /// The system does not report it.
        case unknown
        /// No usable route leads there.
        case notReachable
        /// A route leads there.
        case reachable(ConnectionType)
    }

    /// Over what a route leads.
    public enum ConnectionType: Equatable, Sendable {
        /// Cable, WiFi, the loopback interface, and whatever else is no mobile network.
        case ethernetOrWiFi
        /// A mobile network.
        case wwan
    }

    /// Called with the new status.
    public typealias Listener = @Sendable (NetworkReachabilityStatus) -> Void

    private let target: ReachabilityTarget
    private let system: System

    /// Replaced in tests.
    struct System: Sendable {
        var monitor: @Sendable (ReachabilityTarget) -> any ReachabilityMonitor = { $0.monitor() }
        var status:
            @Sendable (ReachabilityTarget) -> OperationNetworking.NetworkReachabilityStatus =
                { $0.currentStatus() }
    }

    private struct State {
        var listener: Listener?
        var queue = DispatchQueue.main
        var run = MonitorRun()
        /// The last status that was reported in this run.
        var last: NetworkReachabilityStatus?
    }

    private let state = Locked(State())

    // MARK: Making

    /// Makes a manager for a host by its name, which is not looked up.
    ///
    /// - Parameter host: without a scheme. A numeric address stands for itself, `localhost` and
    ///   names that end in `.localhost` for the loopback addresses, any other name for the network
    ///   in general.
    /// - Returns: nil for an empty name.
    public convenience init?(host: String) {
        guard let target = ReachabilityTarget(domain: host) else { return nil }
        self.init(target, System())
    }

    /// Watches the network in general, as Alamofire's with the address 0.0.0.0, which may be nil; this one never is.
    public convenience init?() {
        self.init(.general, System())
    }

    init(_ target: ReachabilityTarget, _ system: System) {
        self.target = target
        self.system = system
    }

    deinit {
        stopListening()
    }

    // MARK: Status

    /// The status now, read on the caller's thread; a manager need not listen.
    open var networkReachabilityStatus: NetworkReachabilityStatus {
        NetworkReachabilityStatus(system.status(target))
    }

    /// Whether the host can be reached, over whatever kind of network.
    open var isReachable: Bool { isReachableOnWWAN || isReachableOnEthernetOrWiFi }

    /// Whether the host can be reached over a mobile network.
    open var isReachableOnWWAN: Bool { networkReachabilityStatus == .reachable(.wwan) }

    /// Whether the host can be reached over anything else.
    open var isReachableOnEthernetOrWiFi: Bool {
        networkReachabilityStatus == .reachable(.ethernetOrWiFi)
    }

    // MARK: Listening

    /// Called on `listenerQueue` with each new status; it may be set at any time.
    @preconcurrency
    open var listener: Listener? {
        get { state.withLock { $0.listener } }
        set { state.replace(\.listener, with: newValue) }
    }

    /// Where the listener is called, main at first; a change counts from the next start on. A queue
    /// that runs several blocks at once can change their order.
    open var listenerQueue: DispatchQueue {
        get { state.withLock { $0.queue } }
        set { state.withLock { $0.queue = newValue } }
    }

    /// Starts to listen, or starts again: the first status is reported anew.
    ///
    /// - Returns: whether the system reports changes; otherwise the one report is `.unknown`.
    @discardableResult
    open func startListening() -> Bool {
        state.withLock { state in
            state.last = nil
            let queue = state.queue
            state.run.begin(system.monitor(target)) { [weak self] status, run in
                queue.async { [weak self] in self?.deliver(status, run: run) }
            }
        }
        return system.status(target) != .unknown
    }

    /// Stops listening.
    open func stopListening() {
        state.withLock { $0.run.end() }
    }

    /// Call on the listener's queue.
    private func deliver(_ told: OperationNetworking.NetworkReachabilityStatus, run: Int) {
        let status = NetworkReachabilityStatus(told)
        let listener: Listener? = state.withLock { state in
            guard state.run.number == run, state.last != status else { return nil }
            state.last = status
            return state.listener
        }
        listener?(status)
    }
}

extension NetworkReachabilityManager.NetworkReachabilityStatus {
    init(_ status: OperationNetworking.NetworkReachabilityStatus) {
        switch status {
        case .reachableViaWiFi: self = .reachable(.ethernetOrWiFi)
        case .reachableViaWWAN: self = .reachable(.wwan)
        case .notReachable: self = .notReachable
        case .unknown: self = .unknown
        }
    }
}
