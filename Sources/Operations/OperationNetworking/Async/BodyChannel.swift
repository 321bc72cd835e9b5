package import Foundation
package import FoundationNetworking
import HTTPSemantics
import Locking

/// A bounded buffer between the transfer of one response's body and the one task that reads it.
///
/// It keeps at most `limit` bytes and one piece. While it `isFull`, the transfer is suspended, so that
/// the server has to wait.
///
/// ## Concurrency
/// Call from: any thread; bytes come from one at a time. Lock: one around the state. Calls out, not
/// under it, on: the thread of the transfer or of the reader (`follow`), the thread on which the
/// reader stops (`cancel`).
package final class BodyChannel: Sendable {
    /// How the channel controls the transfer of its body.
    package struct Transfer: Sendable {
        package let follow: @Sendable (BodyChannel) -> Void
        let isCancelled: @Sendable () -> Bool
        let cancel: @Sendable () -> Void

        /// - Parameters:
        ///   - follow: suspends or resumes the transfer later, on its thread, as `isFull` says.
        ///     Must not wait for any thread.
        ///   - isCancelled: whether the transfer was cancelled.
        ///   - cancel: cancels it. Must not wait for any thread.
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
        /// Received and not yet read.
        var bytes = Data()
        var received: Int64 = 0
        var hasBegun = false
        /// Nil before `connect`, and after the end.
        var transfer: Transfer?
        var end: Swift.Result<Void, any Error>?
        /// Resumed when there is something to read; the reader then takes it under the lock.
        var reader: CheckedContinuation<Void, any Error>?
    }

    /// From so many unread bytes on the transfer is suspended.
    static let limit = 1 << 18

    private let url: URL?
    private let state: Locked<State>
    private let head = Awaited<URLResponse>()

    /// - Parameter url: of the request, for the error of a cancellation.
    package init(for url: URL?) {
        self.url = url
        state = Locked(State())
    }

    // MARK: - The transfer's side

    /// Connects the channel with its transfer, which it retains until the end.
    package func connect(_ transfer: Transfer) {
        let isOver = state.withLock { state in
            if state.end == nil { state.transfer = transfer }
            return state.end != nil
        }
        // Bytes may have come before.
        if isOver { transfer.cancel() } else if isFull { transfer.follow(self) }
    }

    /// Takes the head of the response.
    ///
    /// - Parameter isContinued: whether a second head belongs to the same body, as after a pause.
    ///   Otherwise it ends the reading with `BodyReadingError.triedAgain`.
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

    /// Takes a piece of the body.
    package func put(_ data: Data) {
        guard !data.isEmpty else { return }
        let (reader, full) = state.withLock {
            state -> (CheckedContinuation<Void, any Error>?, Transfer?) in
            guard state.end == nil else { return (nil, nil) }
            state.received += Int64(data.count)
            let wasBelow = state.bytes.count < Self.limit
            if state.bytes.isEmpty { state.bytes = data } else { state.bytes.append(data) }
            let isFull = wasBelow && state.bytes.count >= Self.limit
            return (state.reader.take(), isFull ? state.transfer : nil)
        }
        reader?.resume()
        full?.follow(self)
    }

    /// Ends the body. Bytes that came before an error can still be read; a cancellation drops them.
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

    /// Whether the transfer must be suspended.
    package var isFull: Bool {
        state.withLock { $0.end == nil && $0.bytes.count >= Self.limit }
    }

    /// The number of bytes received so far.
    package var received: Int64 { state.withLock { $0.received } }

    // MARK: - The reader's side

    /// Waits for the head.
    nonisolated(nonsending) package func response(
        starting start: () -> Void
    ) async throws -> URLResponse {
        try await head.value(for: url, starting: start) { [self] in leave() }
    }

    /// All unread bytes; waits for the next if there are none. Nil at the end of the whole body.
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

    /// Ends the reading, and cancels the transfer.
    package func leave() {
        fail(URLError(.cancelled, url: url))
    }

    /// Ends the reading with an error: drops unread bytes, and cancels the transfer.
    package func fail(_ error: any Error) {
        let (transfer, reader, old) = state.withLock { state in
            let old = state.end
            state.bytes = Data()
            state.end = .failure(error)
            return (state.transfer.take(), state.reader.take(), old)
        }
        // The error may be the last reference to an object of the caller's: released after the lock.
        withExtendedLifetime(old) {}
        reader?.resume()
        transfer?.cancel()
        head.give(.failure(error))
    }

    /// - Returns: nil if there are neither bytes nor an end yet.
    private func take() -> Swift.Result<Data?, any Error>? {
        let (known, full) = state.withLock {
            state -> (Swift.Result<Data?, any Error>?, Transfer?) in
            guard !state.bytes.isEmpty else { return (state.end.map { $0.map { nil } }, nil) }
            let bytes = state.bytes
            state.bytes = Data()
            return (.success(bytes), bytes.count >= Self.limit ? state.transfer : nil)
        }
        full?.follow(self)
        return known
    }

    /// - Returns: nil if the continuation was stored; success if there is something to take.
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

/// The only reader of a body. Released before the end, it cancels the transfer.
///
/// ## Concurrency
/// Call from: one task at a time. Lock: none; the channel's.
final class BodyReader: Sendable {
    private let channel: BodyChannel

    init(_ channel: BodyChannel) {
        self.channel = channel
    }

    deinit {
        channel.leave()
    }

    nonisolated(nonsending) func next() async throws -> Data? {
        try await channel.next()
    }
}
