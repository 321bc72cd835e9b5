public import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import SessionTasks

/// What a request knows of its task, and the queue that its handlers wait on (AL-07).
///
/// The queue is one wide, of utility quality, and suspended until the request has ended. It is made when somebody
/// reads it, and has a thread of its own then; until then handlers are a list that the processing pool works off
/// (decision 21). An operation that is added to it runs after the end: so an extension of `DataRequest`
/// can do something then that is no handler.
///
/// ## Concurrency
/// Call from: any thread. Lock: the request's, around its state. Calls out on: the session's delegate
/// queue (stream closure, destination), without the lock.
open class TaskDelegate: @unchecked Sendable {
    // @unchecked because a class that others may inherit from cannot be checked; all it has is
    // constant or guards itself.

    let state: Locked<RequestState>
    /// Closed until the request has ended.
    let handlers = HandlerQueue()

    init(_ state: Locked<RequestState>) {
        self.state = state
    }

    /// Suspended until the request has ended; handlers that wait are in it from the first reading on. Its first
    /// operation notes the time of the end.
    public var queue: OperationQueue {
        handlers.operationQueue { [state] in state.withLock { $0.noteEnd() } }
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

    /// - Parameter limit: how many bytes may be kept in memory.
    /// - Returns: why the request must fail, or nil.
    func received(_ data: Data, of total: Int64, within limit: Int64) -> LoadLimitError? { nil }

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
