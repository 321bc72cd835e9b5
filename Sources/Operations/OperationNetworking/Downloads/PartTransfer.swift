import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking

/// One connection of a download. It requests missing bytes, and judges the response before the first of them.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around `judged`. Calls out on: the network thread (`responded`,
/// `received`), which must not wait.
final class PartTransfer: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because `task` is set before the connection starts, and `judged` has a lock.

    struct Task {
        var partial: PartialContent?
        var expectation: PartVerdict.Expectation
        var buffer: PartBuffer
        /// Called once with each response, before its bytes.
        var responded: @Sendable (Judged) -> Void
        /// Called with the number of bytes of each piece.
        var received: @Sendable (Int64) -> Void
    }

    /// A response, as far as the try needs it.
    struct Judged {
        var verdict: PartVerdict
        /// The offset behind its last byte; nil if unknown.
        var end: Int64?
        /// Whether further connections may request other ranges.
        var allowsMore: Bool
        /// The `Retry-After` field.
        var retryAfter: String?
    }

    private var task: Task?
    private let judged = Locked<Judged?>(nil)

    convenience init(_ request: URLRequest, _ task: Task) {
        var request = task.partial?.request(continuing: request) ?? request
        if let partial = task.partial, let end = task.expectation.end {
            request.setValue("bytes=\(partial.offset)-\(end - 1)", forHTTPHeaderField: "Range")
        }
        // Offsets, lengths and ranges count the bytes as they are sent.
        if task.partial != nil || task.expectation.isAsSent {
            request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        self.init(request: request)
        self.task = task
        outputStream = PartOutput(task.buffer)
    }

    /// The latest response; nil before the first.
    var latest: Judged? { judged.withLock { $0 } }

    override func connection(_ connection: URLConnection, didReceive response: URLResponse) {
        guard let task else { return }
        let verdict = PartVerdict.judge(response, continuing: task.partial, task.expectation)
        let new = Judged(
            verdict: verdict, end: PartVerdict.promisedEnd(response, verdict.total),
            allowsMore: PartVerdict.allowsMore(response, isAsSent: task.expectation.isAsSent),
            retryAfter: (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Retry-After"))
        judged.withLock { $0 = new }
        super.connection(connection, didReceive: response)
        task.responded(new)
        switch verdict {
        case .append, .startOver: break
        // Its body is not part of the file.
        case .complete: cancel()
        case .failed(let error): fail(with: error)
        }
    }

    override func connection(_ connection: URLConnection, didReceive data: Data) {
        // The body of a refused response is not stored.
        switch latest?.verdict {
        case .append, .startOver:
            super.connection(connection, didReceive: data)
            task?.received(Int64(data.count))
        default: break
        }
    }
}
