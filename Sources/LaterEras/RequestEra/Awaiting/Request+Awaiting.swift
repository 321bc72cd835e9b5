import Foundation
public import FoundationNetworking
import Locking
public import OperationNetworking
import SessionTasks

// Code that waits for a request starts it, where its manager and its caller have not.
extension Request {
    /// Resumes a request that was neither resumed nor suspended.
    func resumeUnlessOwned() {
        let isOwned = state.withLock { state in
            // A request that ended without a task is resumed too: nothing is sent twice, and the retrier may be asked.
            state.wasResumed || state.isSuspended || state.phase != .open && state.task != nil
        }
        if !isOwned { resume() }
    }

    /// Waits for a handler's result; where the task is cancelled, so is the request if it `cancels`.
    nonisolated(nonsending) func wait<Value>(
        for outcome: SharedOutcome<Value>, cancels: Bool
    ) async throws -> Value {
        try await outcome.value(for: request?.url) {
            resumeUnlessOwned()
        } cancelling: {
            if cancels { self.cancel() }
        }
    }
}

/// A result that any number of tasks wait for.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: as `Awaited`.
struct SharedOutcome<Value: Sendable>: Sendable {
    private enum State {
        case open([Awaited<Value>])
        case known(Value)
    }

    private let state = Locked(State.open([]))

    func give(_ value: Value) {
        let waiting = state.withLock { state -> [Awaited<Value>] in
            guard case .open(let waiting) = state else { return [] }
            state = .known(value)
            return waiting
        }
        for awaited in waiting { awaited.give(.success(value)) }
    }

    /// Waits for the result; see `Awaited.value`.
    nonisolated(nonsending) func value(
        for url: URL?, starting start: () -> Void, cancelling cancel: @escaping @Sendable () -> Void
    ) async throws -> Value {
        let awaited = Awaited<Value>()
        let known = state.withLock { state -> Value? in
            switch state {
            case .known(let value): return value
            case .open(let waiting):
                state = .open(waiting + [awaited])
                return nil
            }
        }
        if let known { awaited.give(.success(known)) }
        return try await awaited.value(for: url, starting: start, cancelling: cancel)
    }
}

// The body of a request as it comes.

extension DataRequest {
    /// Resumes a request that was neither resumed nor suspended, and returns its body as it comes,
    /// once the response has come.
    ///
    /// The request stores no body then: `data` is nil. Validations run at the end, and their error
    /// is thrown there. A retry before the response has come is not noticed; one after it ends the
    /// reading with `BodyReadingError.triedAgain`. Where the reader is released before the end, the
    /// request is cancelled.
    ///
    /// - Returns: the body, and the response, whose status and type are not validated.
    /// - Throws: the first error of the request; `BodyReadingError.bodyGoesElsewhere` where a
    ///   closure gets the body; `URLError.cancelled`.
    nonisolated(nonsending) public func bytes() async throws -> (ResponseBytes, HTTPURLResponse) {
        let reader = BodyChannel(for: request?.url)
        reader.connect(
            BodyChannel.Transfer {
                self.task?.follow($0)
            } isCancelled: {
                self.state.withLock { $0.isCancelled }
            } cancel: {
                self.cancel()
            })
        let response = try await reader.response {
            taskSession.delegateQueue.addOperation { self.hand(to: reader) }
            resumeUnlessOwned()
        }
        guard let response = response as? HTTPURLResponse else {
            throw URLError(.badServerResponse)
        }
        return (ResponseBytes(reader, response), response)
    }

    /// Passes the body to the reader, what came before as well. On the delegate queue.
    private func hand(to reader: BodyChannel) {
        let found = state.withLock { state -> (data: Data, response: HTTPURLResponse?)? in
            guard state.stream == nil, state.lateStream == nil, state.reader == nil else {
                return nil
            }
            state.reader = reader
            defer { state.data = Data() }
            return (state.data, state.response)
        }
        guard let found else { return reader.finish(BodyReadingError.bodyGoesElsewhere) }
        if let response = found.response { reader.begin(response) }
        reader.put(found.data)
        addHandler {
            let isWhole = reader.received == (self.task?.countOfBytesReceived ?? 0)
            // A closure of the delegate's may have got them.
            reader.finish(
                self.delegate.error ?? (isWhole ? nil : BodyReadingError.bodyGoesElsewhere))
        }
    }
}
