package import CurlConnection
package import Foundation
import FoundationNetworking
import HTTPSemantics

// What is noted of a task while it runs.
extension SessionTask {
    /// Notes a response; the counts start again.
    ///
    /// - Parameter offset: the size of the part that a download continues.
    func note(_ response: URLResponse, from offset: Int64, _ expected: Int64) {
        lock.withLock {
            values.response = response
            values.counts.received = offset
            values.counts.toReceive = PartialContent.whole(from: offset, announced: expected)
        }
    }

    /// Who hears of the task; nil leaves it to the session's delegate.
    package var handler: (any TaskHandler)? {
        get { lock.withLock { values.handler } }
        set {
            var other = newValue
            lock.withLock { swap(&values.handler, &other) }
        }
    }

    /// Adds when the task was first resumed.
    ///
    /// - Returns: the metrics with it.
    func note(_ metrics: RequestMetrics) -> RequestMetrics {
        lock.withLock {
            var metrics = metrics
            metrics.instants.queued = values.queued
            values.metrics = metrics
            return metrics
        }
    }

    /// Adds what an era knows of a task's times. Nothing happens to a task without metrics.
    package func measure(_ change: (inout RequestMetrics) -> Void) {
        lock.withLock {
            guard var metrics = values.metrics else { return }
            change(&metrics)
            values.metrics = metrics
        }
    }

    func noteReceived(_ count: Int64) -> Counts {
        lock.withLock {
            values.counts.received += count
            return values.counts
        }
    }

    func noteSent(_ count: Int64, of total: Int64) {
        lock.withLock {
            values.counts.sent = count
            values.counts.toSend = total
        }
    }

    /// The length of the request's body. Foundation reports 0 for an unknown one (LX-19); the
    /// request may declare it.
    func expectedBodyLength(said: Int64) -> Int64 {
        if said > 0 { return said }
        return source.request.value(forHTTPHeaderField: "Content-Length").flatMap(Int64.init) ?? -1
    }

    /// The stream of the request's body for the next transfer: a copy of a multipart form's; any
    /// other stream itself, once; nil without one.
    ///
    /// - Throws: `URLError.requestBodyStreamExhausted` when the stream was used before.
    package func nextBodyStream() throws -> InputStream? {
        try stream.next()
    }

    /// Notes that an era could not put a download's file where it belongs. It becomes the task's
    /// error.
    package func failPlacement(with error: any Error) {
        lock.withLock { values.placementFailure = error }
    }

    var placementFailure: (any Error)? { lock.withLock { values.placementFailure } }

    /// Whether a caller has cancelled it and it has not ended.
    var isCancelled: Bool { lock.withLock { values.state.isCancelled } }

    /// Has more of its body received at once, since a reader takes it as it comes; before it begins.
    package func streamsBody() {
        lock.withLock { values.isBodyStreamed = true }
    }

    var isBodyStreamed: Bool { lock.withLock { values.isBodyStreamed } }

    /// Notes the end; nil when it was noted before.
    func complete(_ error: (any Error)?) -> TaskState.Ending? {
        lock.withLock {
            guard let ending = values.state.loadEnded(error) else { return nil }
            defer { values.letGo() }
            return ending
        }
    }
}

extension SessionTask.Values {
    /// Its load is over, or another task's.
    mutating func letGo() {
        lastRequest = load?.currentRequest
        (load, session) = (nil, nil)
    }
}
