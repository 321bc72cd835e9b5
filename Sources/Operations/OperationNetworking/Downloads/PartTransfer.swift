import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking

/// One connection of a download: it requests missing bytes and judges the response before the first of them.
///
/// ## Concurrency
/// Call from: any thread. Lock: `details`, around what results. Calls out on: the network thread, for a
/// judged response and for bytes, to code that never waits.
final class PartTransfer: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because `task` is set before the connection starts and then read, and the rest is under
    // the lock of `details`.

    /// What the try is for.
    struct Task {
        var partial: PartialContent?
        var expectation: PartVerdict.Expectation
        var buffer: PartBuffer
        /// Called once with each response, before its bytes.
        var judged: @Sendable (Judged) -> Void
        /// Called with the number of bytes that came.
        var received: @Sendable (Int64) -> Void
    }

    /// What a response is and says.
    struct Judged {
        var verdict: PartVerdict
        /// The offset behind its last byte; nil: unknown.
        var end: Int64?
        /// Whether more connections may bring other ranges.
        var allowsMore: Bool
    }

    struct Details {
        var verdict: PartVerdict?
        /// The server's wish for the time of the next try.
        var retryAfter: String?
    }

    private var task: Task?
    private let details = Locked(Details())

    convenience init(_ request: URLRequest, _ task: Task) {
        var request = task.partial?.request(continuing: request) ?? request
        if let partial = task.partial, let end = task.expectation.end {
            request.setValue("bytes=\(partial.offset)-\(end - 1)", forHTTPHeaderField: "Range")
        }
        // The part, its size and its ranges are of the bytes as they are sent.
        if task.partial != nil || task.expectation.isAsSent {
            request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        self.init(request: request)
        self.task = task
        outputStream = PartOutput(task.buffer)
    }

    var snapshot: Details { details.withLock { $0 } }

    override func connection(_ connection: URLConnection, didReceive response: URLResponse) {
        guard let task else { return }
        let verdict = PartVerdict.judge(response, continuing: task.partial, task.expectation)
        let retryAfter = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Retry-After")
        details.withLock { $0 = Details(verdict: verdict, retryAfter: retryAfter) }
        super.connection(connection, didReceive: response)
        let end = PartVerdict.promisedEnd(response, verdict.total)
        task.judged(
            Judged(
                verdict: verdict, end: end,
                allowsMore: PartVerdict.allowsMore(
                    response, isAsSent: task.expectation.isAsSent)))
        switch verdict {
        case .append, .startOver: break
        // Its body is not the file's.
        case .complete: cancel()
        case .failed(let error): fail(with: error)
        }
    }

    override func connection(_ connection: URLConnection, didReceive data: Data) {
        // What follows a refused response is not stored.
        switch snapshot.verdict {
        case .append, .startOver:
            super.connection(connection, didReceive: data)
            task?.received(Int64(data.count))
        default: break
        }
    }
}

/// One connection of a try, and the segment that it brings.
struct DownloadStream {
    var segment: Int
    let isFurther: Bool
    let buffer: PartBuffer
    let transfer: PartTransfer
    let admission: Admission?
    /// The offset of the first byte of its response, and that behind the last; nil: unknown.
    var start: Int64
    var end: Int64?
    var isAnswered = false
    /// Whether its bytes are not wanted any more.
    var isCut = false

    /// Why it has not brought what it should, after its end.
    func problem(in map: SegmentMap) -> (any Error)? {
        if case .failed(let error)? = transfer.snapshot.verdict { return error }
        if isCut { return nil }
        if let failure = buffer.failure { return failure }
        let error = transfer.error
        switch transfer.snapshot.verdict {
        case .failed, .complete: return nil
        case nil: return error ?? URLError(.badServerResponse)
        // What is complete is so also after a late cancel.
        case .append, .startOver:
            guard let segment = map[segment], !segment.isComplete else { return nil }
            if let error { return error }
            guard let end = segment.end else { return nil }
            return DownloadError.wrongLength(expected: end, received: segment.position)
        }
    }
}
