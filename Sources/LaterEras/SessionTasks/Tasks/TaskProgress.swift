public import Foundation
import Locking
public import OperationNetworking

/// How much of one of a task's two bodies was moved, and what shows it.
///
/// The numbers are the session's own counts.
struct TaskProgress {
    private(set) var count: Int64 = 0
    /// -1 where it is unknown.
    private(set) var total: Int64 = -1
    /// Whether bytes were moved, so that `object` has a total. It starts at -1.
    private var hasBegun = false
    /// Made when it is first asked for.
    var object: Progress?
    /// Called as well, since Linux has no key-value observing.
    var blocks: [ObservedWork.ProgressBlock] = []
    /// Until the task's end.
    var streams: ProgressStreams?

    /// Counts a new response's body, which shows with its first bytes.
    mutating func restart(at count: Int64, of total: Int64) {
        (self.count, self.total) = (count, total)
    }

    /// - Returns: what is to be notified, outside the lock.
    mutating func set(_ count: Int64, of total: Int64) -> Notice {
        hasBegun = true
        restart(at: count, of: total)
        return Notice(progress: self)
    }

    /// Makes a new object show what was counted.
    mutating func show(in new: Progress) -> Progress {
        if let object { return object }
        if hasBegun {
            new.totalUnitCount = total
            new.completedUnitCount = count
        }
        object = new
        return new
    }

    struct Notice {
        let progress: TaskProgress

        /// Call on the delegate queue.
        func send() {
            let (count, total) = (progress.count, progress.total)
            progress.object?.totalUnitCount = total
            progress.object?.completedUnitCount = count
            progress.streams?.yield(OperationProgress(count, of: total))
            for block in progress.blocks { block(count, total) }
        }
    }
}

extension SessionTask {
    /// The upload's progress in bytes; cancelling, pausing and resuming it act on the task.
    public var uploadProgress: Progress { object(\.sent) }
    /// The download's progress in bytes; cancelling, pausing and resuming it act on the task.
    public var downloadProgress: Progress { object(\.received) }

    private func object(_ direction: WritableKeyPath<Values, TaskProgress>) -> Progress {
        if let object = values.withLock({ $0[keyPath: direction].object }) { return object }
        let new = Progress(parent: nil, userInfo: nil)
        new.totalUnitCount = -1
        new.isCancellable = true
        new.isPausable = true
        new.cancellationHandler = { [weak self] in self?.cancel() }
        new.pausingHandler = { [weak self] in self?.suspend() }
        new.resumingHandler = { [weak self] in self?.resume() }
        return values.withLock { $0[keyPath: direction].show(in: new) }
    }

    /// Adds a progress block that is called on the delegate queue, as long as the task lives.
    public func addProgressBlock(
        for direction: ByteDirection = .download,
        _ block: @escaping ObservedWork.ProgressBlock
    ) {
        values.withLock { values in
            if direction == .upload {
                values.sent.blocks.append(block)
            } else {
                values.received.blocks.append(block)
            }
        }
    }

    // MARK: - Streams

    /// Returns a stream with the number of received bytes of the response's body, whenever it has changed.
    ///
    /// The stream finishes when the task ends or is cancelled. Calling this does not resume the task, and does not replace
    /// its progress blocks.
    ///
    /// - Parameter bufferingPolicy: which values a slow reader gets; by default only the newest.
    public func downloadProgress(
        bufferingPolicy: AsyncStream<OperationProgress>.Continuation.BufferingPolicy =
            .bufferingNewest(1)
    ) -> AsyncStream<OperationProgress> {
        stream(\.received, bufferingPolicy)
    }

    /// Returns a stream with the number of sent bytes of the request's body, whenever it has changed.
    ///
    /// Otherwise it is like `downloadProgress(bufferingPolicy:)`.
    ///
    /// - Parameter bufferingPolicy: which values a slow reader gets; by default only the newest.
    public func uploadProgress(
        bufferingPolicy: AsyncStream<OperationProgress>.Continuation.BufferingPolicy =
            .bufferingNewest(1)
    ) -> AsyncStream<OperationProgress> {
        stream(\.sent, bufferingPolicy)
    }

    private func stream(
        _ direction: WritableKeyPath<Values, TaskProgress>,
        _ policy: AsyncStream<OperationProgress>.Continuation.BufferingPolicy
    ) -> AsyncStream<OperationProgress> {
        let streams = values.withLock { values in
            let streams = values[keyPath: direction].streams ?? ProgressStreams()
            if values.state.isLive { values[keyPath: direction].streams = streams }
            return streams
        }
        // After the end nothing else retains them, so the stream ends here.
        return streams.stream(policy)
    }

    func endStreams() {
        let ended = values.withLock { values in
            defer { (values.sent.streams, values.received.streams) = (nil, nil) }
            return [values.sent.streams, values.received.streams]
        }
        for streams in ended { streams?.end() }
    }
}
