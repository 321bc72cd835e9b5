import Foundation
import Locking

/// Sets a manager's `isOffline` by the network's reachability.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around its references. Calls out on: nothing.
final class OfflineWatch: Sendable {
    private struct References {
        weak var manager: HTTPRequestOperationManager?
        var token: (any NSObjectProtocol)?
    }

    let reachability: NetworkReachabilityManager
    private let references: Locked<References>

    init(of manager: HTTPRequestOperationManager) {
        references = Locked(References(manager: manager))
        let chosen = manager.reachabilityManager
        reachability =
            chosen !== NetworkReachabilityManager.shared
            ? chosen
            : NetworkReachabilityManager(target: .anyHost, center: .default) { $0.monitor() }
        let token = NotificationCenter.default.addObserver(
            forName: .networkingReachabilityDidChange, object: nil, queue: nil
        ) { [weak self] _ in self?.update() }
        references.withLock { $0.token = token }
    }

    deinit {
        references.withLock { references in
            if let token = references.token { NotificationCenter.default.removeObserver(token) }
        }
    }

    /// Updates the manager, if that still uses this watch.
    func update() {
        guard let manager = references.withLock({ $0.manager }) else { return }
        if manager.offlineWatch.withLock({ $0 === self }) { manager.updateIsOffline() }
    }
}

extension HTTPRequestOperationManager {
    /// Whether operations to other machines wait while there is no network; false at first.
    ///
    /// There is a network while an interface other than the loopback is running and has an address that is not
    /// link-local; a default route is not needed. If `reachabilityManager` was set, this starts and uses that one.
    /// Operations that wait have the reason `.offline` in `snapshot()`. They try when the manager is released.
    ///
    /// It counts for operations that are enqueued after it was set. An operation to this machine itself never waits: to
    /// a loopback address, over a `unixDomainSocketPath`, or of a `file:` or `data:` address.
    public var holdsWhileOffline: Bool {
        get { offlineWatch.withLock { $0 != nil } }
        set {
            let watch = newValue ? OfflineWatch(of: self) : nil
            var old = watch
            offlineWatch.withLock { swap(&$0, &old) }
            watch?.reachability.startMonitoring()
            if watch != nil || old != nil { updateIsOffline() }
        }
    }

    fileprivate func updateIsOffline() {
        passOnLatest(offlineWatch.withLock { $0 }?.reachability.status == .notReachable) {
            isOffline = $0
        }
    }
}
