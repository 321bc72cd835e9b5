import Synchronization

// Progress for tasks of Swift's concurrency.

extension URLConnectionOperation {
    /// The stored bytes of the response's body as they come, until the operation has ended; starts nothing.
    ///
    /// A reader that is slow gets the newest alone. It goes beside the progress block, and not over main.
    public func downloadProgress() -> AsyncStream<OperationProgress> {
        reportsBytes.store(true, ordering: .relaxed)
        return progress(\.downloadStreams)
    }

    /// The sent bytes of the request's body as they go; everything else is as for `downloadProgress()`.
    public func uploadProgress() -> AsyncStream<OperationProgress> {
        progress(\.uploadStreams)
    }

    private func progress(
        _ path: WritableKeyPath<Blocks, ProgressStreams?>
    ) -> AsyncStream<OperationProgress> {
        let (streams, isFirst) = lock.withLock {
            if let streams = guarded.blocks[keyPath: path] { return (streams, false) }
            let new = ProgressStreams()
            if !isFinished { guarded.blocks[keyPath: path] = new }
            return (new, true)
        }
        let stream = streams.stream()
        if isFirst {
            // Under the lock, which a reader must not be resumed under.
            whenFinished { [weak self] in
                guard let self else { return }
                runThread.process(inModes: guarded.settings.runLoopModes) { streams.end() }
            }
        }
        return stream
    }
}
