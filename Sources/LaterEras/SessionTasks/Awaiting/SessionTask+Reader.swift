import Foundation
import FoundationNetworking
package import OperationNetworking

extension SessionTask {
    /// Receives no more of the body while its reader is behind.
    package func follow(_ reader: BodyChannel) {
        lock.withLock { values.load }?.rest { reader.isFull }
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
