public import Foundation
import FoundationNetworking
import Locking

/// A request that sends a body from memory, from a file or from a stream.
///
/// A stream can be read only once. If the body must be sent again, after a redirect, a challenge or for a retry, such a
/// request fails with an `AFError`. It does not fail if the session's delegate supplies a new stream, by
/// `taskNeedNewBodyStream` or its variant with a completion.
///
/// ## Concurrency
/// As for `Request`.
open class UploadRequest: DataRequest, @unchecked Sendable {
    // @unchecked because it adds nothing to its superclass.

    /// How many bytes of the body were sent, and how many it has; the total is -1 where it is unknown. After a retry this
    /// returns a new object.
    open var uploadProgress: Progress { state.withLock { $0.upload.object } }

    /// Sets the closure that is called after each piece of the body was sent, in place of an earlier closure.
    ///
    /// A closure that is set after the last bytes were sent is called once, with the number of all bytes: before the
    /// response handlers, or at once if the request has ended. It is not called if the body has no bytes.
    @preconcurrency
    @discardableResult
    open func uploadProgress(
        queue: DispatchQueue = .main, closure: @escaping ProgressHandler
    ) -> Self {
        report(\.upload, on: queue, closure)
        return self
    }
}
