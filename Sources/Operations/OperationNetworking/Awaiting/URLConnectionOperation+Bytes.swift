public import FoundationNetworking
import Foundation

// The body of an operation as it comes.

extension URLConnectionOperation {
    /// Starts the operation as `result()` does, and returns its body as it comes, once the head has
    /// come.
    ///
    /// The operation keeps no body then: `responseData` is nil. A pause and a resume continue the body
    /// where that is certain, as for an output stream. Where the reader goes before the end, the
    /// operation is cancelled.
    ///
    /// - Returns: the body, and the head, whose status and type are not validated.
    /// - Throws: the operation's error; `BodyReadingError.bodyGoesElsewhere` where it was started
    ///   before or has an output stream; `URLError.cancelled`.
    nonisolated(nonsending) public func bytes() async throws -> (ResponseBytes, URLResponse) {
        try await bytes { startUnlessOwned() }
    }

    nonisolated(nonsending) func bytes(
        starting start: () -> Void
    ) async throws -> (ResponseBytes, URLResponse) {
        let channel = try takeReader()
        let response = try await channel.response(starting: start)
        return (ResponseBytes(channel, response), response)
    }

    /// Has the body go to a reader.
    private func takeReader() throws -> BodyChannel {
        let channel = BodyChannel(for: request.url)
        try lock.withLock {
            guard !guarded.machine.hasRun, state != .executing, state != .finished,
                guarded.reader == nil,
                guarded.outputStream == nil
            else { throw BodyReadingError.bodyGoesElsewhere }
            guarded.reader = channel
        }
        channel.connect(
            BodyChannel.Transfer { _ in
                self.followReaderSoon()
            } isCancelled: {
                self.isCancelled
            } cancel: {
                self.cancel()
            })
        whenFinished { [weak self] in
            guard let self else { return }
            let error = result.error
            // Under the lock, which the reader must not be resumed under.
            runThread.process(inModes: guarded.settings.runLoopModes) { channel.finish(error) }
        }
        return channel
    }

    private func followReaderSoon() {
        let (thread, modes) = lock.withLock { (runThread, guarded.settings.runLoopModes) }
        if thread.enqueue(alsoIn: modes, { self.followReader() }) { thread.wakeUp() }
    }
}
