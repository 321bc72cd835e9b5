import Foundation
import Locking

/// Tells a manager whether there is a network.
///
/// ## Concurrency
/// Call from: any thread. Lock: none. Calls out on: main, where the notification comes.
final class OfflineWatch: @unchecked Sendable {
    // @unchecked because the token is constant, and only given back.
    private let token: any NSObjectProtocol

    init(_ reachability: NetworkReachabilityManager, of manager: OperationManager) {
        token = NotificationCenter.default.addObserver(
            forName: .networkingReachabilityDidChange, object: nil, queue: nil
        ) { [weak manager, weak reachability] _ in
            guard let manager, let reachability else { return }
            manager.isOffline = reachability.status == .notReachable
        }
        reachability.startMonitoring()
        manager.isOffline = reachability.status == .notReachable
    }

    deinit {
        NotificationCenter.default.removeObserver(token)
    }
}

extension HTTPRequestOperationManager {
    /// Whether operations to other machines wait while the kernel has no route to any network; false at
    /// first.
    ///
    /// It starts the `reachabilityManager` that the manager has then, and goes by what that says on main.
    /// What waits has the reason `.offline` in `snapshot()`. It counts for operations that are enqueued
    /// after it was set; one to this machine itself never waits.
    public var holdsWhileOffline: Bool {
        get { offlineWatch.withLock { $0 != nil } }
        set {
            let watch = newValue ? OfflineWatch(reachabilityManager, of: self) : nil
            let old = offlineWatch.withLock { held in
                defer { held = watch }
                return held
            }
            if !newValue, old != nil { isOffline = false }
        }
    }
}
