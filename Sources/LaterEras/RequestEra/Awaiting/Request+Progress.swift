import Foundation
public import OperationNetworking
import Locking

// Progress of a request for tasks of Swift's concurrency, by Alamofire 5's names.

extension Request {
    /// The received bytes of the response's body as they come, until the request ends or is cancelled; resumes
    /// nothing.
    ///
    /// A retry counts from the beginning. It goes beside the progress closure.
    ///
    /// - Parameter bufferingPolicy: what a slow reader gets; the newest alone by default.
    public func downloadProgress(
        bufferingPolicy: AsyncStream<OperationProgress>.Continuation.BufferingPolicy =
            .bufferingNewest(1)
    ) -> AsyncStream<OperationProgress> {
        progress(\.download, bufferingPolicy)
    }

    /// The sent bytes of the request's body as they go; everything else is as for
    /// `downloadProgress(bufferingPolicy:)`.
    public func uploadProgress(
        bufferingPolicy: AsyncStream<OperationProgress>.Continuation.BufferingPolicy =
            .bufferingNewest(1)
    ) -> AsyncStream<OperationProgress> {
        progress(\.upload, bufferingPolicy)
    }

    private func progress(
        _ direction: WritableKeyPath<RequestState, ByteProgress>,
        _ policy: AsyncStream<OperationProgress>.Continuation.BufferingPolicy
    ) -> AsyncStream<OperationProgress> {
        let streams = state.withLock { state in
            let new = ProgressStreams()
            if state.phase == .ended || state.isCancelled { return new }
            let streams = state[keyPath: direction].streams ?? new
            state[keyPath: direction].streams = streams
            return streams
        }
        // Those of a request that has ended are held by nobody, and end here.
        return streams.stream(policy)
    }
}
