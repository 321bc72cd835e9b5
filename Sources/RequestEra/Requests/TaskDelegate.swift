public import Foundation
import FoundationNetworking
import Locking
import SessionTasks

/// What a request knows of its task, and the queue that its handlers wait on (AL-07).
///
/// The queue is one wide, of utility quality, and suspended until the request has ended. It has a thread of its own, and
/// of all handlers as many run at once as the processing pool allows (decision 21). Its first
/// operation notes the time of the end. An operation that is added to it runs after the end: so an
/// extension of `DataRequest` can do something then that is no handler.
///
/// ## Concurrency
/// Call from: any thread. Lock: the request's, around its state. Calls out on: the session's delegate
/// queue (stream closure, destination), without the lock.
open class TaskDelegate: @unchecked Sendable {
    // @unchecked because a class that others may inherit from cannot be checked; all it has is
    // constant or guards itself.

    /// Suspended until the request has ended.
    public let queue: OperationQueue
    let state: Locked<RequestState>

    init(_ state: Locked<RequestState>) {
        self.state = state
        queue = .serial(named: "org.alamofire.request", qos: .utility)
        queue.isSuspended = true
        queue.qualityOfService = .utility
        noteEndTime()
    }

    /// The body received so far; nil where it went to a `stream` closure. Of a download, what it can be
    /// resumed with.
    open var data: Data? { nil }

    /// The first error, which the handlers get. A retry resets it.
    public var error: (any Error)? {
        get { state.withLock { $0.outcome } }
        set {
            state.change { state in
                state.error = newValue
                if newValue == nil { state.transferError = nil }
            }
        }
    }

    /// Adds the queue's first operation.
    func noteEndTime() {
        queue.addOperation { [state] in
            state.withLock { $0.endTime = $0.endTime ?? RequestState.now }
        }
    }

    // MARK: - What the session tells; on its delegate queue

    func sent(_ count: Int64, of total: Int64) {
        let telling = state.withLock { state in
            state.noteFirstBytes()
            return state.upload.note(count, of: total)
        }
        telling?.tell()
    }

    /// A response has come: the body of an earlier one, such as a 401 or one that was suspended, is not
    /// part of it (LX-04, LX-06).
    func began() {}

    func received(_ data: Data, of total: Int64) {}

    /// Hands what was kept of a body to a stream closure that came late.
    func handOver() {}

    func wrote(_ count: Int64, of total: Int64) {
        note(count, of: total, isFirst: true)
    }

    func resumed(at offset: Int64, of total: Int64) {
        note(offset, of: total, isFirst: false)
    }

    func finished(_ task: SessionDownloadTask, at location: URL) {}

    /// The stream of a streamed body, once; nil where it was given before (AL-27).
    func nextBodyStream() -> InputStream? { nil }

    private func note(_ count: Int64, of total: Int64, isFirst: Bool) {
        let telling = state.withLock { state in
            if isFirst { state.noteFirstBytes() }
            return state.download.note(count, of: total)
        }
        telling?.tell()
    }
}
