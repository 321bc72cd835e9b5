import Foundation
import Locking

/// Tells a manager whether there is a network.
///
/// ## Concurrency
/// Call from: any thread. Lock: the manager's, around its watch: what a watch says counts while it is the manager's;
/// one around its references. Calls out on: nobody.
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
            : NetworkReachabilityManager(target: .anybody, center: .default) { $0.monitor() }
        let token = NotificationCenter.default.addObserver(
            forName: .networkingReachabilityDidChange, object: nil, queue: nil
        ) { [weak self] _ in self?.look() }
        references.withLock { $0.token = token }
    }

    deinit {
        references.withLock { references in
            if let token = references.token { NotificationCenter.default.removeObserver(token) }
        }
    }

    /// Tells the manager what is known now; does nothing once the manager has let it go.
    func look() {
        guard let manager = references.withLock({ $0.manager }) else { return }
        manager.offlineWatch.withLock { watch in
            guard watch === self else { return }
            // Read under the lock, so that what is written last is the newest.
            manager.isOffline = reachability.status == .notReachable
        }
    }
}

extension HTTPRequestOperationManager {
    /// Whether operations to other machines wait while there is no network; false at first.
    ///
    /// There is one while an interface other than the loopback is running and has an address that is not
    /// link-local; a default route is not needed. Where `reachabilityManager` was set, it starts that one and
    /// goes by it. Reports come on main. What waits has the reason `.offline` in `snapshot()`. It counts for
    /// operations that are enqueued after it was set; one to this machine itself never waits: to a loopback
    /// address, over a `unixDomainSocketPath`, or of a `file:` or `data:` address. What waits when the
    /// manager is released tries then, and ends.
    public var holdsWhileOffline: Bool {
        get { offlineWatch.withLock { $0 != nil } }
        set {
            let watch = newValue ? OfflineWatch(of: self) : nil
            let old = offlineWatch.withLock { held in
                if watch == nil, held != nil { isOffline = false }
                defer { held = watch }
                return held
            }
            watch?.reachability.startMonitoring()
            watch?.look()
            withExtendedLifetime(old) {}
        }
    }
}
