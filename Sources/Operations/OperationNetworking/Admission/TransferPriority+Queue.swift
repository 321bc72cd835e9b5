import CurlConnection
import Foundation
import Scheduling

extension TransferPriority {
    /// The class of an operation's `queuePriority`.
    init(_ priority: Operation.QueuePriority) {
        switch priority {
        case .veryLow: self = .veryLow
        case .low: self = .low
        case .high: self = .high
        case .veryHigh: self = .veryHigh
        default: self = .normal
        }
    }

    /// The class in which an operation waits for its start: as in Foundation's queue the quality of service counts
    /// where no priority is set.
    init(of operation: Operation) {
        self.init(operation.queuePriority)
        guard self == .normal else { return }
        switch operation.qualityOfService {
        case .userInteractive: self = .veryHigh
        case .userInitiated: self = .high
        case .utility: self = .low
        case .background: self = .veryLow
        case .default: break
        @unknown default: break
        }
    }
}
