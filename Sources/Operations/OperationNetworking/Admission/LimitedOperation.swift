import CurlConnection
import Foundation

/// An operation that waits for its slot in `start`.
protocol LimitedOperation: Operation {
    /// Its way to its slot; nil where there are no limits.
    var currentAdmission: Admission? { get }
    /// What it waits for while it runs; nil where that is nothing.
    var loadWait: LoadWait? { get }

    /// Its queue, which takes it or has it, has limits: it asks for a slot where it could start, and takes one where
    /// it runs already.
    func join(_ limiter: OperationLimiter, _ member: QueueMember)
}
