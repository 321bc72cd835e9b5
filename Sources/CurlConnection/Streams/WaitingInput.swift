package import Foundation
import Locking

/// A caller's input stream whose calls may wait, read on a thread of its own.
///
/// A call that asks for bytes begins a read, and a later call gets them: one piece at a time.
///
/// ## Concurrency
/// Call from: one thread. Lock: one around the piece. Calls out on: the stream's thread.
package final class WaitingInput: Sendable {
    private struct State {
        /// Called by its thread alone, but for `close` while that is not inside a call.
        let stream: InputStream
        var piece = Data()
        var isEnd = false
        var failure: (any Error)?
        /// The thread is inside a call, or about to make one.
        var isBusy = false
        var isOver = false
        /// Signalled after the call under way.
        var waiter: DispatchSemaphore?

        var hasNews: Bool { !piece.isEmpty || isEnd || failure != nil }
    }

    private static let pieceSize = 65_536

    private let thread: StreamThread
    private let state: Locked<State>

    /// - Throws: where there are too many such streams already.
    package init(_ stream: InputStream) throws(URLError) {
        thread = try StreamThread()
        state = Locked(State(stream: stream))
    }

    deinit {
        close()
    }

    /// The next bytes, as many as there are and fit; 0 at the end; nil where none have come yet.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
        guard buffer.count > 0 else { return nil }
        let count: Int? = try state.withLock { state in
            if !state.piece.isEmpty {
                let count = min(buffer.count, state.piece.count)
                state.piece.copyBytes(to: buffer, count: count)
                state.piece = Data(state.piece.dropFirst(count))
                return count
            }
            if let failure = state.failure { throw failure }
            return state.isEnd ? 0 : nil
        }
        if count == nil { ask(for: buffer.count) }
        return count
    }

    /// Whether `read` has a result; where it has none, a read begins.
    package var isReady: Bool {
        if state.withLock({ $0.hasNews }) { return true }
        ask(for: Self.pieceSize)
        return false
    }

    /// Waits until `read` has a result.
    package func wait() {
        while !isReady {
            let waiter: DispatchSemaphore? = state.withLock { state in
                guard state.isBusy else { return nil }
                state.waiter = DispatchSemaphore(value: 0)
                return state.waiter
            }
            waiter?.wait()
        }
    }

    /// Closes the stream at once, or has its thread do so after the call under way.
    package func close() {
        let stream: InputStream? = state.withLock { state in
            defer { state.isOver = true }
            return state.isBusy || state.isOver ? nil : state.stream
        }
        if let stream, stream.streamStatus != .closed { stream.close() }
    }

    private func ask(for count: Int) {
        let isFree = state.withLock { state in
            guard !state.isBusy, !state.isOver else { return false }
            state.isBusy = true
            return true
        }
        guard isFree else { return }
        // The job holds this until the call returns.
        thread.perform { [self] in take(min(count, Self.pieceSize)) }
    }

    /// Runs on the thread.
    private func take(_ room: Int) {
        let stream = state.withLock { $0.stream }
        var piece = Data(count: room)
        let count = piece.withUnsafeMutableBytes {
            Self.read(stream, into: $0.bindMemory(to: UInt8.self))
        }
        piece = piece.prefix(max(0, count))
        let failure = count < 0 ? stream.readingError : nil
        let (isOver, waiter) = state.withLock { state in
            state.piece = piece
            state.isEnd = count == 0
            state.failure = failure
            state.isBusy = false
            defer { state.waiter = nil }
            return (state.isOver, state.waiter)
        }
        waiter?.signal()
        if isOver { stream.close() }
    }

    private static func read(
        _ stream: InputStream, into room: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        if stream.streamStatus == .notOpen { stream.open() }
        switch stream.streamStatus {
        case .atEnd: return 0
        case .error, .closed: return -1
        default: return room.baseAddress.map { stream.read($0, maxLength: room.count) } ?? 0
        }
    }
}
