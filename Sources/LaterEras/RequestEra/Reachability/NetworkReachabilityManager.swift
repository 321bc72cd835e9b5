public import Foundation
import Locking
import OperationNetworking

/// Reports whether a host can be reached, and notifies a listener when that changes.
///
/// It asks the kernel for a route, and sends no packets. The route is to the host if that is an address or `localhost`.
/// Names are not looked up, so for any other name the route is to a root name server.
///
/// To be "reachable" means that there is this route, not that a server would respond. So send requests whatever the
/// status is. If the kernel refuses to open a route socket, as in some containers, the status is `.unknown`. Mobile
/// networks are reported as `.wwan` on Linux too; the original did that on iOS alone.
///
/// Retain the manager: its deinit stops listening.
///
/// ## Order of calls
/// After `startListening()`, the listener is called with the first status, and then with each status that differs from
/// the previous one, in order, on `listenerQueue`. If `stopListening()` is called on this queue and the queue is
/// serial, no call follows. If it is called on another thread, one call that was about to begin may still come after it
/// has returned.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: `listenerQueue`, never under the
/// lock.
open class NetworkReachabilityManager: @unchecked Sendable {
    // @unchecked because the compiler does not accept an open class as Sendable. All stored properties are constant, and
    // `Locked` guards the state.

    /// Whether there is a route: to the host, or for most names to a root name server.
    public enum NetworkReachabilityStatus: Equatable, Sendable {
        /// The system does not report it.
        case unknown
        /// There is no such route.
        case notReachable
        /// There is a route; the value is the kind of its network.
        case reachable(ConnectionType)
    }

    /// The kind of the network interface that the route uses.
    public enum ConnectionType: Equatable, Sendable {
        /// Cable, WiFi, the loopback interface, and all others that are not a mobile network.
        case ethernetOrWiFi
        /// A mobile network.
        case wwan
    }

    /// The type of `listener`. Its parameter is the status, read from the kernel before the call was enqueued.
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
        /// The last status since `startListening()` that was reported, also if there was no listener to call.
        var last: NetworkReachabilityStatus?
    }

    private let state = Locked(State())

    // MARK: Making

    /// Makes a manager for a host. The name is not looked up.
    ///
    /// - Parameter host: a host name or address, without a scheme. For an address, the route to it is watched. For
    ///   `localhost` and names that end in `.localhost` it is the route to the loopback addresses. For any other name it is
    ///   the route to a root name server, which shows whether the machine has an internet connection at all.
    /// - Returns: nil for an empty name.
    public convenience init?(host: String) {
        guard let target = ReachabilityTarget(domain: host) else { return nil }
        self.init(target, System())
    }

    /// Makes a manager for the network in general; it never returns nil.
    ///
    /// Alamofire's initializer without a host watches 0.0.0.0 (the network in general); this one watches the route to a
    /// root name server instead.
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

    /// The current status, which the calling thread reads from the kernel, also while the manager is not listening.
    open var networkReachabilityStatus: NetworkReachabilityStatus {
        NetworkReachabilityStatus(system.status(target))
    }

    /// Whether there is a route over any network. Each call asks the kernel, like `networkReachabilityStatus`.
    open var isReachable: Bool { isReachableOnWWAN || isReachableOnEthernetOrWiFi }

    /// Whether the first route found uses a mobile network; false also if there is no route.
    open var isReachableOnWWAN: Bool { networkReachabilityStatus == .reachable(.wwan) }

    /// Whether the first route found uses cable, WiFi, the loopback interface or another network that is not mobile.
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

    /// The queue on which the listener is called; main by default. A change takes effect at the next `startListening()`. On
    /// a concurrent queue, calls can come in another order.
    open var listenerQueue: DispatchQueue {
        get { state.withLock { $0.queue } }
        set { state.withLock { $0.queue = newValue } }
    }

    /// Reports the current status to the listener and then each new one, also if the manager was listening before.
    ///
    /// - Returns: false if the kernel does not report routes; the listener is then called once, with `.unknown`.
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

    /// Ends the reports until the next `startListening()`; the listener stays set. See "Order of calls".
    open func stopListening() {
        state.withLock { $0.run.end() }
    }

    /// To be called on the listener's queue.
    private func deliver(_ new: OperationNetworking.NetworkReachabilityStatus, run: Int) {
        let status = NetworkReachabilityStatus(new)
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
