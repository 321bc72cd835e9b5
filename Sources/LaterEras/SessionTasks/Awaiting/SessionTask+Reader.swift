import Foundation
import FoundationNetworking
package import OperationNetworking

extension SessionTask {
    /// Suspends it while the reader of its body is behind.
    package func follow(_ reader: BodyChannel) {
        lock.withLock { values.transfer }?.rest { reader.isFull }
    }

    /// What a reader of the task's body asks of it.
    package var transferOfBody: BodyChannel.Transfer {
        BodyChannel.Transfer {
            self.follow($0)
        } isCancelled: {
            self.isCancelled
        } cancel: {
            self.cancel()
        }
    }
}
