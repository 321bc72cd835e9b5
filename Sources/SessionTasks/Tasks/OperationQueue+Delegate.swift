package import Foundation

extension OperationQueue {
    /// A queue for a session's delegate: one block at a time, on a thread of its own while there are any.
    ///
    /// Without its serial `underlyingQueue` it would need a thread of Dispatch's default pool, and a program's blocks
    /// that wait use those up (decision 21).
    package static func ofDelegate(named name: String) -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.name = name
        // Foundation's class holds it, though its declaration does not say so.
        let serial = DispatchQueue(label: name)
        queue.underlyingQueue = serial
        return queue
    }
}
