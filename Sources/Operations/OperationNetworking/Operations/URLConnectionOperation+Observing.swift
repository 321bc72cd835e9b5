import Foundation
import FoundationNetworking

// What an observer of its manager hears of an operation.

extension URLConnectionOperation {
    /// The operation as it is now.
    private var observed: ObservedRequest {
        lock.withLock {
            ObservedRequest(
                id: number, urlRequest: guarded.request, response: guarded.response)
        }
    }

    /// A manager has made it; nobody else has it yet.
    func tellOfMaking() {
        guard let manager = guarded.settings.observedManager else { return }
        manager.tellOfMaking(observed)
    }

    /// A moment of a run. For the network thread.
    func notifyObserver(
        _ call: @escaping @Sendable (any RequestObserver, ObservedRequest) -> Void
    ) {
        guard let observedManager else { return }
        observedManager.tell(observed, call)
    }

    /// The lock is held.
    func notifyObserverOfEnd() {
        guard let manager = guarded.settings.observedManager else { return }
        let (error, metrics) = (result.error, metrics)
        manager.tell(observed) { $0.request($1, didEndWith: error, metrics: metrics) }
    }
}
