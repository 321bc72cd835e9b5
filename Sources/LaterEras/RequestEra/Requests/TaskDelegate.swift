public import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import OperationNetworking
import SessionTasks

/// What a request has got of its task, and the queue of its handlers.
///
/// The queue is one wide, of utility quality, and suspended until the request has ended. It is made
/// when it is read, and has a thread of its own then; until then handlers are a list that the
/// processing pool works off (decision 21). An operation that is added to it runs after the end: so
/// an extension of `DataRequest` can do something then that is no handler.
///
/// ## Concurrency
/// Call from: any thread. Lock: the request's, around its state. Calls out on: the session's delegate
/// queue (stream closure, destination), without the lock.
open class TaskDelegate: @unchecked Sendable {
    // @unchecked because the compiler does not accept an open class as Sendable; all it has is
    // constant or guards itself.

    let state: Locked<RequestState>
    let handlers = HandlerQueue()

    init(_ state: Locked<RequestState>) {
        self.state = state
    }

    /// Suspended until the request has ended. It has the handlers that wait when it is first read.
    /// Where that is before the end, its first operation notes the time of the end.
    public var queue: OperationQueue {
        handlers.operationQueue { [state] in state.withLock { $0.noteEnd() } }
    }

    /// The body received so far; nil where a `stream` closure or `bytes()` gets it. Of a download, its
    /// resume data.
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

    // MARK: - Events, on the session's delegate queue

    /// A response has come: the body of an earlier one, such as a 401, is not part of it.
    func began() {}

    /// - Parameter limit: how many bytes may be stored.
    /// - Returns: why the request must fail, or nil.
    func received(_ data: Data, of total: Int64, within limit: Int64) -> LoadLimitError? { nil }

    /// Passes what was stored of a body to a stream closure that was set late.
    func flushLateStream() {}

    func finished(_ task: SessionDownloadTask, at location: URL) {}
}

/// Stores the body of a data or upload request, or passes it to the stream closure.
///
/// ## Concurrency
/// As for `TaskDelegate`.
class DataTaskDelegate: TaskDelegate, @unchecked Sendable {
    // @unchecked because it adds nothing.

    override var data: Data? {
        state.withLock { $0.stream == nil && $0.reader == nil ? $0.data : nil }
    }

    override func began() {
        let (reader, response) = state.withLock { state in
            state.data = Data()
            state.received = 0
            return (state.reader, state.response)
        }
        if let reader, let response { reader.begin(response, isContinued: false) }
    }

    override func flushLateStream() {
        let late = state.withLock { $0.takeLateStream() }
        if let late, !late.body.isEmpty { late.closure(late.body) }
    }

    override func received(
        _ data: Data, of total: Int64, within limit: Int64
    ) -> LoadLimitError? {
        let received = state.withLock { state -> Received? in
            let late = state.takeLateStream()
            state.noteFirstBytes()
            if state.stream == nil, state.reader == nil {
                guard Int64(state.data.count + data.count) <= limit else {
                    state.data = Data()
                    return nil
                }
                state.data.append(data)
            }
            state.received += Int64(data.count)
            return Received(
                late: late?.body, stream: state.stream, reader: state.reader,
                notice: state.download.note(state.received, of: total))
        }
        guard let received else { return LoadLimitError(.bodyInMemory, limit) }
        received.pass(data)
        return nil
    }

    /// What gets a piece, outside the lock.
    private struct Received {
        /// What was stored before a stream closure was set late.
        let late: Data?
        let stream: (@Sendable (Data) -> Void)?
        let reader: BodyChannel?
        let notice: ByteProgress.Notice?

        func pass(_ data: Data) {
            if let late, !late.isEmpty { stream?(late) }
            stream?(data)
            reader?.put(data)
            notice?.send()
        }
    }
}
