import CurlConnection
import Dispatch

/// Where the jobs of a thread run, and their operations fail, while there is no run loop.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; its queue. Calls out on: that queue.
final class StandIn: @unchecked Sendable {
    // @unchecked because the pass is used on the queue alone.
    let queue = DispatchQueue(label: "AFNetworking.NoRunLoop")
    let pass: RunLoopPass
    private static let key = DispatchSpecificKey<ObjectIdentifier>()

    init(_ pass: RunLoopPass) {
        self.pass = pass
        queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
    }

    /// Whether the caller runs in that of any thread.
    static var isCurrentOfAny: Bool { DispatchQueue.getSpecific(key: key) != nil }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) }
}
