import Foundation
import FoundationNetworking
package import OperationNetworking

// Tasks of a session and tasks of Swift's concurrency. With Foundation's session a step waits for the
// queue that all sessions share, so it is taken on a processing thread.
extension SessionTask {
    /// Resumes it; nothing of this waits on the caller's thread.
    package func resumeSoon() {
        if waits { ProcessingPool.shared.perform { self.resume() } } else { resume() }
    }

    /// Cancels it; nothing of this waits on the caller's thread.
    package func cancelSoon() {
        if waits { ProcessingPool.shared.perform { self.cancel() } } else { cancel() }
    }

    private var waits: Bool { urlSessionTask != nil }

    /// Has it rest while the reader of its body is behind.
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
            self.cancelSoon()
        }
    }
}
