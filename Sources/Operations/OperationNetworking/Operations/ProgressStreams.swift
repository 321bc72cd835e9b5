import Locking

/// How many bytes of a body have moved.
public struct OperationProgress: Sendable, Hashable {
    /// Bytes, over pauses and resumes.
    public let completed: Int64
    /// Bytes in all; nil where the length is not known.
    public let total: Int64?

    package init(_ completed: Int64, of total: Int64) {
        self.completed = completed
        self.total = total < 0 ? nil : total
    }
}

/// The streams that a progress goes to, each until its reader goes or the progress ends.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list. Calls out on: nothing; a reader goes on without the lock.
package final class ProgressStreams: Sendable {
    package typealias Stream = AsyncStream<OperationProgress>

    private struct State {
        var readers: [Int: Stream.Continuation] = [:]
        var last = 0
        var isOver = false
    }

    private let state = Locked(State())

    package init() {}

    /// Where the progress is let go without an end.
    deinit { end() }

    /// How many are read.
    package var count: Int { state.withLock { $0.readers.count } }

    /// One more stream; it has ended where the progress has.
    package func stream(
        _ policy: Stream.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> Stream {
        let (stream, continuation) = Stream.makeStream(bufferingPolicy: policy)
        if let number = add(continuation) {
            continuation.onTermination = { [weak self] _ in self?.drop(number) }
        }
        return stream
    }

    /// One more reader, or, where the progress has ended, its end.
    ///
    /// - Returns: what it is removed by.
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

    package func tell(_ progress: OperationProgress) {
        for reader in state.withLock({ Array($0.readers.values) }) { reader.yield(progress) }
    }

    /// Ends them all, and each that is asked for later.
    package func end() {
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            state.isOver = true
            return state.readers
        }
        for reader in readers.values { reader.finish() }
    }
}
