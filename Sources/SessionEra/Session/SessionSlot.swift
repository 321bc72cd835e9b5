import Foundation
import FoundationNetworking
import SessionTasks

/// A manager's session: none before the first use, and none after a reset (UM-02).
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`, around the session, also while it is made. Calls out on:
/// nobody.
final class SessionSlot: @unchecked Sendable {
    // @unchecked because the session is only touched under `lock`, and the configuration is a copy
    // that does not change.
    let configuration: URLSessionConfiguration
    private let lock = NSLock()
    private var session: TaskSession?

    init(_ configuration: URLSessionConfiguration?) {
        let copy = configuration?.copy() as? URLSessionConfiguration
        self.configuration = copy ?? .default
    }

    /// The session, if there is one.
    var current: TaskSession? { lock.withLock { session } }

    func session(made make: (URLSessionConfiguration) -> TaskSession) -> TaskSession {
        lock.withLock {
            if let session { return session }
            let new = make(configuration)
            session = new
            return new
        }
    }

    /// Removes a session, unless another one has taken its place.
    func reset(_ session: TaskSession) {
        lock.withLock {
            if self.session === session { self.session = nil }
        }
    }
}
