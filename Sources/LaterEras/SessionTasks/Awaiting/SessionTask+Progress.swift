import CurlConnection
import Foundation
public import OperationNetworking

// Progress of a task for tasks of Swift's concurrency.

extension SessionTask {
    /// The received bytes of the response's body as they come, until the task ends or is cancelled; starts nothing.
    ///
    /// It goes beside `downloadProgress` and
    /// the blocks.
    ///
    /// - Parameter bufferingPolicy: what a slow reader gets; the newest alone by default.
    public func downloadProgress(
        bufferingPolicy: AsyncStream<OperationProgress>.Continuation.BufferingPolicy =
            .bufferingNewest(1)
    ) -> AsyncStream<OperationProgress> {
        stream(.download, bufferingPolicy)
    }

    /// The sent bytes of the request's body as they go; everything else is as for
    /// `downloadProgress(bufferingPolicy:)`.
    public func uploadProgress(
        bufferingPolicy: AsyncStream<OperationProgress>.Continuation.BufferingPolicy =
            .bufferingNewest(1)
    ) -> AsyncStream<OperationProgress> {
        stream(.upload, bufferingPolicy)
    }

    private func stream(
        _ direction: ByteDirection,
        _ policy: AsyncStream<OperationProgress>.Continuation.BufferingPolicy
    ) -> AsyncStream<OperationProgress> {
        let stream = progress.stream(direction, policy)
        // Where the end has begun, nobody ends the stream any more.
        if !isPresent { progress.endStreams() }
        return stream
    }
}
