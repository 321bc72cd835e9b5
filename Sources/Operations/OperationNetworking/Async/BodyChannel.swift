package import Foundation
package import FoundationNetworking
import HTTPSemantics
import Locking

/// The body of one response, on its way from the transport to the one task that reads it.
///
/// It keeps at most `room` bytes and one piece: while it `isFull`, the transfer rests, and the server
/// sees that on its socket.
///
/// ## Concurrency
/// Call from: any thread; bytes come from one at a time. Lock: one around the state. Calls out, not
/// under it, on: the reader's thread (the transfer goes on), the thread that lets the reader go (the
/// transfer is cancelled).
package final class BodyChannel: Sendable {
    /// What the channel asks of the transfer whose body it carries.
    package struct Transfer: Sendable {
        package let follow: @Sendable (BodyChannel) -> Void
        let isCancelled: @Sendable () -> Bool
        let cancel: @Sendable () -> Void

        /// - Parameters:
        ///   - follow: has the thread of the transfer look at `isFull`; it may wait for no thread.
        ///   - isCancelled: whether somebody has cancelled it.
        ///   - cancel: cancels it; it may wait for no thread.
        package init(
            follow: @escaping @Sendable (BodyChannel) -> Void,
            isCancelled: @escaping @Sendable () -> Bool, cancel: @escaping @Sendable () -> Void
        ) {
            self.follow = follow
            self.isCancelled = isCancelled
            self.cancel = cancel
        }
    }

    private struct State {
        /// What came and was not read.
        var bytes = Data()
        var received: Int64 = 0
        var hasBegun = false
        /// Nil once it has ended.
        var transfer: Transfer?
        var end: Swift.Result<Void, any Error>?
        /// Who waits; it takes what there is itself, under the lock.
        var reader: CheckedContinuation<Void, any Error>?
    }

    /// Bytes that may wait before the transfer rests.
    package static let room = 1 << 18

    private let url: URL?
    private let state: Locked<State>
    private let head = Awaited<URLResponse>()

    /// - Parameter url: of the request, for the error of a cancellation.
    package init(for url: URL?) {
        self.url = url
        state = Locked(State())
    }

    // MARK: - What the transfer tells

    /// Connects the channel with its transfer, which it keeps until the end.
    package func connect(_ transfer: Transfer) {
        let isOver = state.withLock { state in
            if state.end == nil { state.transfer = transfer }
            return state.end != nil
        }
        // Bytes may have come before.
        if isOver { transfer.cancel() } else if isFull { transfer.follow(self) }
    }

    /// The head.
    ///
    /// - Parameter isContinued: whether a further one is of the same body, as after a pause; otherwise
    ///   it ends the reading with `BodyReadingError.triedAgain`.
    package func begin(_ response: URLResponse, isContinued: Bool = true) {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isFirst {
            head.give(.success(response))
        } else if !isContinued {
            fail(BodyReadingError.triedAgain)
        }
    }

    /// A piece of the body.
    package func put(_ data: Data) {
        guard !data.isEmpty else { return }
        let (reader, full) = state.withLock {
            state -> (CheckedContinuation<Void, any Error>?, Transfer?) in
            guard state.end == nil else { return (nil, nil) }
            state.received += Int64(data.count)
            let hadRoom = state.bytes.count < Self.room
            if state.bytes.isEmpty { state.bytes = data } else { state.bytes.append(data) }
            let isFull = hadRoom && state.bytes.count >= Self.room
            return (state.reader.take(), isFull ? state.transfer : nil)
        }
        reader?.resume()
        full?.follow(self)
    }

    /// The end. What came before an error is read before it, but not before a cancellation.
    package func finish(_ error: (any Error)?) {
        let (old, reader) = state.withLock {
            state -> (Transfer?, CheckedContinuation<Void, any Error>?) in
            guard state.end == nil else { return (nil, nil) }
            state.end = error.map { .failure($0) } ?? .success(())
            if (error as? URLError)?.code == .cancelled { state.bytes = Data() }
            return (state.transfer.take(), state.reader.take())
        }
        withExtendedLifetime(old) {}
        reader?.resume()
        head.give(.failure(error ?? URLError(.badServerResponse, url: url)))
    }

    /// Whether the transfer must rest; asked on its thread, by who is told to follow.
    package var isFull: Bool {
        state.withLock { $0.end == nil && $0.bytes.count >= Self.room }
    }

    /// The bytes that came so far.
    package var received: Int64 { state.withLock { $0.received } }

    // MARK: - The reader

    /// Waits for the head.
    nonisolated(nonsending) package func response(
        starting start: () -> Void
    ) async throws -> URLResponse {
        try await head.value(for: url, starting: start) { [self] in leave() }
    }

    /// All bytes that wait, or the next that come; nil at the end of the whole body.
    ///
    /// - Throws: why the body is not whole; `URLError.cancelled` once the task or the transfer is
    ///   cancelled.
    nonisolated(nonsending) package func next() async throws -> Data? {
        if state.withLock({ $0.transfer })?.isCancelled() == true { leave() }
        if !Task.isCancelled, let known = take() { return try known.get() }
        return try await withTaskCancellationHandler {
            while true {
                if let known = take() { return try known.get() }
                try await withCheckedThrowingContinuation { continuation in
                    if let now = wait(continuation) { continuation.resume(with: now) }
                }
            }
        } onCancel: {
            leave()
        }
    }

    /// Nobody reads on.
    package func leave() {
        fail(URLError(.cancelled, url: url))
    }

    /// Drops what waits, and cancels a transfer that has not ended.
    package func fail(_ error: any Error) {
        let (transfer, reader, old) = state.withLock { state in
            let old = state.end
            state.bytes = Data()
            state.end = .failure(error)
            return (state.transfer.take(), state.reader.take(), old)
        }
        // What it holds of the caller's goes after the lock.
        withExtendedLifetime(old) {}
        reader?.resume()
        transfer?.cancel()
        head.give(.failure(error))
    }

    /// - Returns: nil where there is nothing to give yet.
    private func take() -> Swift.Result<Data?, any Error>? {
        let (known, full) = state.withLock {
            state -> (Swift.Result<Data?, any Error>?, Transfer?) in
            guard !state.bytes.isEmpty else { return (state.end.map { $0.map { nil } }, nil) }
            let bytes = state.bytes
            state.bytes = Data()
            return (.success(bytes), bytes.count >= Self.room ? state.transfer : nil)
        }
        full?.follow(self)
        return known
    }

    /// - Returns: nil where the continuation is kept; success where there is something to take.
    private func wait(
        _ continuation: CheckedContinuation<Void, any Error>
    ) -> Swift.Result<Void, any Error>? {
        state.withLock { state in
            if !state.bytes.isEmpty || state.end != nil { return .success(()) }
            if state.reader != nil { return .failure(BodyReadingError.readTwice) }
            state.reader = continuation
            return nil
        }
    }
}
