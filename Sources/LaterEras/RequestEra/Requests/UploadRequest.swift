public import Foundation
import FoundationNetworking
import Locking

/// A request that sends a body from memory, from a file or from a stream.
///
/// A stream is read once: where it would be asked for again, by a redirect, a challenge or a retry,
/// the request fails with an `AFError` (AL-27).
///
/// ## Concurrency
/// As `Request`.
open class UploadRequest: DataRequest, @unchecked Sendable {
    // @unchecked because it adds nothing to its superclass.

    /// The progress of the body that is sent, in bytes; the total is -1 where it is unknown. A retry
    /// makes a new object (AL-30).
    open var uploadProgress: Progress { state.withLock { $0.upload.object } }

    /// Sets the closure that is called for each piece that was sent; setting another replaces it.
    ///
    /// One that is set after the upload is called once, with the number of all bytes, before the response handlers.
    @preconcurrency
    @discardableResult
    open func uploadProgress(
        queue: DispatchQueue = .main, closure: @escaping ProgressHandler
    ) -> Self {
        report(\.upload, on: queue, closure)
        return self
    }
}
