package import Foundation

extension OperationQueue {
    /// A queue that runs one block at a time, on a thread of its own while there are any: a session's delegate's, or a
    /// request's.
    ///
    /// Without its serial `underlyingQueue` it would need a thread of Dispatch's pools, and a program's blocks
    /// that wait use those up (decision 21).
    package static func serial(
        named name: String, qos: DispatchQoS = .unspecified
    ) -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.name = name
        // Foundation's class retains it, though its declaration does not say so.
        let serial = DispatchQueue(label: name, qos: qos)
        queue.underlyingQueue = serial
        return queue
    }
}
