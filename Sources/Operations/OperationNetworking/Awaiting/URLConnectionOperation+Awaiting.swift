public import Foundation
public import FoundationNetworking
import Synchronization

// Operations and tasks of Swift's concurrency.

extension URLConnectionOperation {
    /// Waits for the end, and returns the body; nil if it was written to a stream.
    ///
    /// An operation that was not started and is in no queue is added to one without a limit; enqueue it
    /// before this call, or not at all. One whose `isReady` was read counts as in a queue. When the task is
    /// cancelled, the operation is cancelled, and every wait for it ends at once. A task that was cancelled
    /// before starts nothing.
    ///
    /// - Throws: the operation's error; `URLError.cancelled` if the task or the operation was cancelled.
    @_disfavoredOverload
    nonisolated(nonsending) public func result() async throws -> Data? {
        try await value { operation in
            if let error = operation.error { throw error }
            return operation.responseData
        }
    }

    /// Waits for the end, and for a value that is then made of the operation in the serializers' pool.
    nonisolated(nonsending) func value<Value>(
        _ make: @escaping @Sendable (URLConnectionOperation) throws -> Value
    ) async throws -> sending Value {
        let awaited = Awaited<Handed<Value>>()
        return try await awaited.value(for: request.url) {
            processWhenFinished { operation in
                awaited.give(Result { Handed(try make(operation)) })
            }
            startUnlessOwned()
        } cancelling: {
            self.cancel()
        }.value
    }

    /// Calls a block in the serializers' pool once the operation has ended: a task must not be resumed
    /// where the end is announced.
    private func processWhenFinished(
        _ block: @escaping @Sendable (URLConnectionOperation) -> Void
    ) {
        whenFinished { [weak self] in
            guard let self else { return }
            let (thread, modes) = sender
            thread.process(inModes: modes) { block(self) }
        }
    }

    /// Enters a queue unless a manager, a queue or the caller starts the operation.
    func startUnlessOwned() {
        guard !visible.wasReadinessRead, !read(\.machine.wasStarted) else {
            return
        }
        addOnce(to: Self.awaited)
    }

    private static let awaited = OperationQueue.outsideDefaultPool()
}

// MARK: - Bytes

extension URLConnectionOperation {
    /// Starts the operation as `result()` does, waits for the response, and returns its body as it is
    /// received.
    ///
    /// The operation does not store the body: `responseData` is nil. A pause and a resume continue it
    /// under the same conditions as for an output stream. If the reader stops before the end, the
    /// operation is cancelled.
    ///
    /// - Returns: the body, and the response, whose status and type are not validated.
    /// - Throws: the operation's error; `BodyReadingError.bodyGoesElsewhere` if it was started before, or
    ///   has an output stream or a reader; `URLError.cancelled`.
    nonisolated(nonsending) public func bytes() async throws -> (ResponseBytes, URLResponse) {
        try await bytes { startUnlessOwned() }
    }

    nonisolated(nonsending) func bytes(
        starting start: () -> Void
    ) async throws -> (ResponseBytes, URLResponse) {
        let channel = try connectReader()
        let response = try await channel.response(starting: start)
        return (ResponseBytes(channel, response), response)
    }

    /// A new reader, to which the body will be passed.
    private func connectReader() throws -> BodyChannel {
        let channel = BodyChannel(for: request.url)
        try lock.withLock {
            guard !guarded.machine.hasRun, state != .executing, state != .finished,
                guarded.rare?.reader == nil,
                guarded.rare?.outputStream == nil
            else { throw BodyReadingError.bodyGoesElsewhere }
            guarded.rareValues.reader = channel
        }
        channel.connect(
            BodyChannel.Transfer { _ in
                self.followReaderSoon()
            } isCancelled: {
                self.isCancelled
            } cancel: {
                self.cancel()
            })
        processWhenFinished { channel.finish($0.result.error) }
        return channel
    }

    private func followReaderSoon() {
        let (thread, modes) = sender
        thread.enqueue(alsoIn: modes) { self.followReader() }
    }
}

// MARK: - Progress

extension URLConnectionOperation {
    /// Returns a stream with the number of received bytes of the response's body, whenever it has changed.
    ///
    /// The stream finishes when the operation has ended. A slow reader gets only the newest value. Calling this does
    /// not start the operation, and does not replace its progress block.
    public func downloadProgress() -> AsyncStream<OperationProgress> {
        reportsBytes.store(true, ordering: .relaxed)
        return progress(\.downloadStreams)
    }

    /// Returns a stream with the number of sent bytes of the request's body; otherwise it is like `downloadProgress()`.
    public func uploadProgress() -> AsyncStream<OperationProgress> {
        progress(\.uploadStreams)
    }

    private func progress(
        _ path: WritableKeyPath<Blocks, ProgressStreams?>
    ) -> AsyncStream<OperationProgress> {
        let (streams, isFirst) = lock.withLock {
            if let streams = guarded.blocks[keyPath: path] { return (streams, false) }
            let new = ProgressStreams()
            if state != .finished { guarded.blocks[keyPath: path] = new }
            return (new, true)
        }
        let stream = streams.stream()
        if isFirst { processWhenFinished { _ in streams.end() } }
        return stream
    }
}

// MARK: - Objects

extension HTTPRequestOperation {
    /// Waits for the end, and returns the object that the serializer made; nil for a body that may be
    /// empty or was written to a stream.
    ///
    /// The body is parsed in the serializers' pool. Starting and cancelling are as for the superclass's.
    ///
    /// - Throws: the error of the connection or of the serializer; the object of an error's body is in
    ///   `responseObject`. `URLError.cancelled` if the task or the operation was cancelled.
    nonisolated(nonsending) public func result() async throws -> sending Any? {
        try await value { operation -> Any? in
            guard let operation = operation as? HTTPRequestOperation else { return nil }
            let (object, error) = operation.serialized()
            if let error { throw error }
            return object
        }
    }

    /// Waits for the end, and returns the body as a value of a type, decoded from JSON.
    ///
    /// The operation's serializer validates the status and the type; `decoder` alone reads the body, in the
    /// serializers' pool. The value is `responseObject` from then on. An empty body is nil for an optional
    /// type. Starting and cancelling are as for `result()`.
    ///
    /// - Parameter decoder: not to be changed until the end.
    /// - Throws: as `result()`; `ResponseSerializationError` (-1016) with
    ///   `ResponseSerializationError.Reason.undecodableValue` for a body that is no such value. Its text names
    ///   the position, and its underlying error is the decoder's.
    nonisolated(nonsending) public func result<Value: Decodable & Sendable>(
        as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        let serializer = DecodableResponseSerializer(type, decoder, rules: responseSerializer)
        responseSerializer = serializer
        return try await value { operation -> Value in
            guard let operation = operation as? HTTPRequestOperation else {
                return try serializer.value(of: nil, nil)
            }
            let (object, error) = operation.serialized()
            if let error { throw error }
            if let object, let value = object as? Value { return value }
            // Another call has set a serializer for another type meanwhile.
            return try serializer.value(of: operation.response, operation.responseData)
        }
    }
}
