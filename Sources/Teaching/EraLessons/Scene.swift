import CurlConnection
import Foundation
import FoundationNetworking
import Lessons
import Locking
import LoopbackServer
import OperationNetworking

/// A manager of AFNetworking 2 whose blocks run on a queue of their own.
func connectionManager(_ server: LoopbackServer) -> HTTPRequestOperationManager {
    let manager = HTTPRequestOperationManager(baseURL: server.baseURL)
    manager.responseSerializer = HTTPResponseSerializer()
    manager.completionQueue = DispatchQueue(label: "completion queue")
    return manager
}

/// A result that is set once, and for which threads wait.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the value.
final class Outcome<Value: Sendable>: Sendable {
    private let value = Locked<Value?>(nil)
    private let moment = Moment()

    /// Sets the value; later values are ignored.
    func comes(_ new: Value) {
        value.withLock { $0 = $0 ?? new }
        moment.signal()
    }

    /// Waits for the value; nil where it does not come in time.
    func wait(within seconds: Double = Patience.long) -> Value? {
        moment.wait(within: seconds) ? value.withLock { $0 } : nil
    }
}
