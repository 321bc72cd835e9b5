import Locking

/// How many bytes of a body have moved.
public struct OperationProgress: Sendable, Hashable {
    /// Bytes so far. A continued download counts on; what is sent or received from the start again counts from 0.
    public let completed: Int64
    /// Bytes in all; nil where the length is not known.
    public let total: Int64?

    package init(_ completed: Int64, of total: Int64) {
        self.completed = completed
        self.total = total < 0 ? nil : total
    }
}

/// The `AsyncStream`s that get one transfer's progress.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list, not held while a stream gets a value or is finished.
package final class ProgressStreams: Sendable {
    package typealias Stream = AsyncStream<OperationProgress>

    private struct State {
        var readers: [Int: Stream.Continuation] = [:]
        var last = 0
        var isOver = false
    }

    private let state = Locked(State())

    package init() {}

    deinit { end() }

    package var count: Int { state.withLock { $0.readers.count } }

    /// A new stream; it has ended if the progress has.
    package func stream(
        _ policy: Stream.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> Stream {
        let (stream, continuation) = Stream.makeStream(bufferingPolicy: policy)
        if let number = add(continuation) {
            continuation.onTermination = { [weak self] _ in self?.drop(number) }
        }
        return stream
    }

    /// Adds a reader, or finishes it if the progress has ended.
    ///
    /// - Returns: the number that removes it; nil where the progress has ended.
    @discardableResult
    package func add(_ reader: Stream.Continuation) -> Int? {
        let number: Int? = state.withLock { state in
            if state.isOver { return nil }
            state.last += 1
            state.readers[state.last] = reader
            return state.last
        }
        if number == nil { reader.finish() }
        return number
    }

    private func drop(_ number: Int) {
        let reader = state.withLock { $0.readers.removeValue(forKey: number) }
        withExtendedLifetime(reader) {}
    }

    package func yield(_ progress: OperationProgress) {
        for reader in state.withLock({ Array($0.readers.values) }) { reader.yield(progress) }
    }

    /// Finishes all streams, also those that are made later.
    package func end() {
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            state.isOver = true
            return state.readers
        }
        for reader in readers.values { reader.finish() }
    }
}

/// The bytes with which an operation's progress blocks were called. A block that is set after the first bytes gets
/// those with the next call, or with one at the end.
struct ReportedBytes {
    /// The bytes of the request's body, as the connection has reported them last.
    private(set) var sent: Int64 = 0
    private(set) var toSend: Int64 = -1
    private var reportedSent: Int64 = 0
    private var reportedReceived: Int64 = 0

    mutating func beginSending() {
        (sent, reportedSent) = (0, 0)
    }

    /// - Parameter stored: the bytes before the response's first one.
    mutating func beginReceiving(at stored: Int64) {
        reportedReceived = stored
    }

    /// - Parameter total: with these bytes. Where `total - count` is less than the last total, a body is sent again.
    mutating func noteSent(_ count: Int64, upTo total: Int64, of expected: Int64) {
        if total - count < sent { reportedSent = total - count }
        (sent, toSend) = (total, expected)
    }

    /// The bytes of the request's body that were sent since the last call.
    mutating func takeSent() -> Int64 {
        defer { reportedSent = sent }
        return sent - reportedSent
    }

    /// The bytes of the response's body that were stored since the last call, up to a total.
    mutating func takeReceived(upTo total: Int64) -> Int64 {
        defer { reportedReceived = total }
        return max(0, total - reportedReceived)
    }
}
