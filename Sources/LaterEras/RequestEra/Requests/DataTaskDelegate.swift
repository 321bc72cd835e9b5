import Foundation
import HTTPSemantics
import Locking
import OperationNetworking
import SessionTasks

/// Keeps the body of a data or upload request, or hands it to the stream closure (AL-29).
///
/// ## Concurrency
/// As `TaskDelegate`.
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

    override func handOver() {
        let late = state.withLock { $0.takeLateStream() }
        if let late, !late.body.isEmpty { late.closure(late.body) }
    }

    override func received(
        _ data: Data, of total: Int64, within limit: Int64
    ) -> LoadLimitError? {
        handOver()
        let received = state.withLock { state -> Received? in
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
                stream: state.stream, reader: state.reader,
                telling: state.download.note(state.received, of: total))
        }
        guard let received else { return LoadLimitError(.bodyInMemory, limit) }
        received.stream?(data)
        received.reader?.put(data)
        received.telling?.tell()
        return nil
    }

    /// Who is told of a piece.
    private struct Received {
        let stream: (@Sendable (Data) -> Void)?
        let reader: BodyChannel?
        let telling: ByteProgress.Telling?
    }
}

/// The same for an upload, whose stream is given once.
///
/// ## Concurrency
/// As `TaskDelegate`.
final class UploadTaskDelegate: DataTaskDelegate, @unchecked Sendable {
    // @unchecked because it adds nothing; the source guards itself.
    let body: BodyOnce?

    init(_ state: Locked<RequestState>, _ body: BodyOnce?) {
        self.body = body
        super.init(state)
    }

    override func nextBodyStream() -> InputStream? { body?.take() }
}
