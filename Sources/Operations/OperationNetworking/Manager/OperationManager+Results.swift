import Foundation
import Locking

// Two orders that the original does not keep. Both count for operations that are enqueued afterwards.
extension OperationManager {
    /// Whether completion blocks, success and failure come in the order in which their operations ended;
    /// false at first.
    ///
    /// With a `maxConcurrentOperationCount` of 1 that is the order in which the operations started. Without
    /// it a response whose serializer is quick overtakes one that ended before, because serializers work at
    /// once on several threads. With it a manager's serializers work one after another. It orders
    /// operations with the same `networkThread` and the same serial `completionQueue`, or main.
    public var completesInOrder: Bool {
        get { resultOrder.withLock { $0.queue != nil } }
        set {
            resultOrder.withLock { order in
                guard newValue != (order.queue != nil) else { return }
                order.queue = newValue ? ResultOrder.makeQueue() : nil
            }
        }
    }

    /// Whether an operation finishes once its response was serialized, so that one that depends on it
    /// finds `responseObject`, and the serializer's `error`; false at first.
    ///
    /// Without it an operation finishes when its response is there, and a dependent one that reads the
    /// object waits while it is made. With it `error` is complete when the dependent one starts, and the
    /// operation keeps its place in the queue until then. A cancel ends it without waiting for the serializer.
    /// Success and failure come later than both, since they have a queue of their own.
    public var finishesAfterSerialization: Bool {
        get { resultOrder.withLock { $0.isObjectFirst } }
        set { resultOrder.withLock { $0.isObjectFirst = newValue } }
    }
}
