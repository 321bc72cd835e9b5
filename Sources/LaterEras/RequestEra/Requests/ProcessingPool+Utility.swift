import Foundation
import OperationNetworking

extension ProcessingPool {
    /// The process's utility queues, for closures of the caller's that may wait for a load or a disk: the adapter of a
    /// retry, the retrier after an adapter's error, forms. Apart from the serializers', so that what they wait for is
    /// serialized (decision 21).
    static let utility = ProcessingPool(
        width: ProcessInfo.processInfo.activeProcessorCount, name: "org.alamofire.utility",
        qos: .utility)
}
