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
        // Under the lock, which a reader must not be resumed under.
        whenFinished { [weak self] in
            guard let self else { return continuation.finish() }
            runThread.process(inModes: guarded.settings.runLoopModes) { continuation.finish() }
        }
        return stream
    }
}
