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
}
