package import Foundation

extension OperationQueue {
    /// A queue for a session's delegate: one block at a time, on a thread of its own while there are any.
    ///
    /// Without its serial `underlyingQueue` it would need a thread of Dispatch's default pool, which a program's
    /// blocks that wait use up (decision 21).
    package static func ofDelegate(named name: String) -> OperationQueue {
        DelegateQueue(named: name)
    }
}

/// ## Concurrency
/// Call from: any thread, as any `OperationQueue`. Lock: none of its own.
private final class DelegateQueue: OperationQueue, @unchecked Sendable {
    // @unchecked because a subclass of `OperationQueue` has to say so; what it adds is constant.

    /// Held here, because `underlyingQueue` does not promise to hold it.
    private let serial: DispatchQueue

    init(named name: String) {
        serial = DispatchQueue(label: name)
        super.init()
        self.name = name
        maxConcurrentOperationCount = 1
        underlyingQueue = serial
    }
}
