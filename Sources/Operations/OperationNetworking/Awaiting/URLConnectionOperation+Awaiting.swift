public import Foundation
import FoundationNetworking

// Operations and tasks of Swift's concurrency.

extension URLConnectionOperation {
    /// Waits for the end, and returns the body; nil where it went to a stream.
    ///
    /// An operation that nobody has started and that is in no queue enters one without a limit, so it
    /// starts once it is ready; enqueue it before this call, or not at all. Where the task is
    /// cancelled, the operation is cancelled, and the wait ends at once; also other waits for the same
    /// operation end with it. A task that was cancelled before starts nothing.
    ///
    /// - Throws: the operation's error; `URLError.cancelled` whichever of the two was cancelled.
    @_disfavoredOverload
    nonisolated(nonsending) public func result() async throws -> Data? {
        try await value { operation in
            if let error = operation.error { throw error }
            return operation.responseData
        }
    }

    /// Waits for the end and for what is made of it then, in the serializers' pool.
    nonisolated(nonsending) func value<Value>(
        _ make: @escaping @Sendable (URLConnectionOperation) throws -> Value
    ) async throws -> sending Value {
        let awaited = Awaited<Handed<Value>>()
        return try await awaited.value(for: request.url) {
            // Under the lock, so nothing but the hand-over.
            whenFinished { [weak self] in
                guard let self else { return }
                runThread.process(inModes: guarded.settings.runLoopModes) {
                    awaited.give(Result { Handed(try make(self)) })
                }
            }
            startUnlessOwned()
        } cancelling: {
            self.cancel()
        }.value
    }

    /// Enters a queue unless a manager, a queue or a caller starts it.
    func startUnlessOwned() {
        guard !visible.isAskedFor, !read(\.machine.wasStarted) else {
            return
        }
        enter(Self.awaited)
    }

    private static let awaited = OperationQueue.outsideDefaultPool()
}

extension HTTPRequestOperation {
    /// Waits for the end, and returns the object that the serializer made; nil for a body that is
    /// legitimately empty or went to a stream.
    ///
    /// It serializes on a processing queue. Starting and cancelling are as the superclass's.
    ///
    /// - Throws: the error of the connection or of the serializer; what the serializer made of an
    ///   error's body is in `responseObject`. `URLError.cancelled` whichever of the two was cancelled.
    nonisolated(nonsending) public func result() async throws -> sending Any? {
        try await value { operation -> Any? in
            guard let operation = operation as? HTTPRequestOperation else { return nil }
            let (object, error) = operation.serialized()
            if let error { throw error }
            return object
        }
    }
}
