import Synchronization

// Progress for tasks of Swift's concurrency.

extension URLConnectionOperation {
    /// The stored bytes of the response's body as they come, until the operation has ended; starts nothing.
    ///
    /// A reader that is slow gets the newest alone. It goes beside the progress block, and not over main.
    public func downloadProgress() -> AsyncStream<OperationProgress> {
        mayTellOfBytes.store(true, ordering: .relaxed)
        return progress(\.downloadReader)
    }

    /// The sent bytes of the request's body as they go; everything else is as for `downloadProgress()`.
    public func uploadProgress() -> AsyncStream<OperationProgress> {
        progress(\.uploadReader)
    }

    private func progress(
        _ reader: WritableKeyPath<Blocks, Blocks.Reader?>
    ) -> AsyncStream<OperationProgress> {
        let (stream, continuation) = AsyncStream<OperationProgress>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        lock.withLock {
            guard !isFinished else { return }
            let others = guarded.blocks[keyPath: reader]
            guarded.blocks[keyPath: reader] = {
                others?($0)
                continuation.yield($0)
            }
        }
        let end = ProgressEnd(continuation)
        // Under the lock, which a reader must not be resumed under.
        whenFinished { [weak self] in
            guard let self else { return }
            runThread.process(inModes: guarded.settings.runLoopModes) { end.come() }
        }
        return stream
    }
}

/// The end of a stream, which comes also where the operation is let go without an end.
private final class ProgressEnd: Sendable {
    private let continuation: AsyncStream<OperationProgress>.Continuation

    init(_ continuation: AsyncStream<OperationProgress>.Continuation) {
        self.continuation = continuation
    }

    deinit { come() }

    func come() { continuation.finish() }
}
