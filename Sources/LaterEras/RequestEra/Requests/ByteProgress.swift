import EventRecorder
import Foundation
import Locking
public import OperationNetworking

/// How many bytes of a body one attempt has sent or received, and what is notified of them.
struct ByteProgress {
    private(set) var completed: Int64 = 0
    private(set) var total: Int64 = 0
    /// The attempt's `Progress`, once it was needed.
    private var madeObject: Progress?
    /// The closure, and the queue on which it is called after each piece.
    private(set) var handler: (queue: DispatchQueue, closure: Request.ProgressHandler)?
    /// Whether the closure was set after bytes had been counted, and has not been called since.
    private var isCallMissing = false
    /// The `AsyncStream`s of callers; nil where there are none.
    var streams: ProgressStreams?

    var object: Progress {
        mutating get {
            if let madeObject { return madeObject }
            let progress = Progress(totalUnitCount: total)
            progress.completedUnitCount = completed
            madeObject = progress
            return progress
        }
    }

    /// - Returns: the notice of the new counts, to be sent outside the lock; nil if no caller is to be notified.
    mutating func note(_ completed: Int64, of total: Int64) -> Notice? {
        self.completed = completed
        self.total = total
        isCallMissing = false
        guard madeObject != nil || handler != nil || streams != nil else { return nil }
        return Notice(
            progress: object, completed: completed, total: total, handler: handler,
            streams: streams)
    }

    mutating func setHandler(
        _ closure: @escaping Request.ProgressHandler, on queue: DispatchQueue
    ) {
        handler = (queue, closure)
        isCallMissing = completed > 0
    }

    /// Returns the one notice that is owed to a closure that was set after the last bytes.
    ///
    /// - Returns: nil if no such closure was set, or if it was called since, or this has returned the notice before.
    mutating func takeMissingCall() -> Notice? {
        guard isCallMissing else { return nil }
        isCallMissing = false
        return Notice(
            progress: object, completed: completed, total: total, handler: handler, streams: nil)
    }

    /// Begins to count for a new attempt of the request. Closure and streams stay; the next `object` is a new one, so the
    /// `Progress` of the earlier attempt no longer changes.
    mutating func reset() {
        let (handler, streams) = (handler, streams)
        self = ByteProgress()
        (self.handler, self.streams) = (handler, streams)
    }

    init() {}

    /// New counts, and what is notified of them.
    struct Notice {
        let progress: Progress
        let completed: Int64
        let total: Int64
        let handler: (queue: DispatchQueue, closure: Request.ProgressHandler)?
        let streams: ProgressStreams?

        /// Updates the `Progress` and the streams, and enqueues the call of the closure.
        ///
        /// Call from the session's delegate queue, so that notices are sent in order. When the request has ended, no more
        /// notices follow, and any thread may call this.
        func send() {
            progress.totalUnitCount = total
            progress.completedUnitCount = completed
            streams?.yield(OperationProgress(completed, of: total))
            guard let handler else { return }
            // A `Progress` is thread-safe, but not declared as Sendable.
            let sent = Handed(progress)
            handler.queue.recordedAsync { handler.closure(sent.value) }
        }
    }
}

extension Request {
    /// Sets the closure to which progress is reported.
    ///
    /// If bytes were transferred before and none follow, the closure is still called once, with the final counts: before the
    /// response handlers, or at once if the request has ended.
    func report(
        _ direction: WritableKeyPath<RequestState, ByteProgress>, on queue: DispatchQueue,
        _ closure: @escaping ProgressHandler
    ) {
        let notice = state.change { state -> ByteProgress.Notice? in
            state[keyPath: direction].setHandler(closure, on: queue)
            return state.phase == .ended ? state[keyPath: direction].takeMissingCall() : nil
        }.result
        notice?.send()
    }

    /// Calls each progress closure that was set after the last bytes. To be called when the request has ended.
    func reportMissed() {
        let notices = state.withLock { state in
            [state.upload.takeMissingCall(), state.download.takeMissingCall()]
        }
        for notice in notices { notice?.send() }
    }

    /// Finishes the progress streams. To be called when the request has ended or is cancelled.
    func endProgress() {
        let streams = state.withLock { state in
            defer { (state.download.streams, state.upload.streams) = (nil, nil) }
            return [state.download.streams, state.upload.streams]
        }
        // Not under the lock, because this resumes the tasks that read.
        for streams in streams { streams?.end() }
    }
}

// Progress as streams, with Alamofire 5's names.

extension Request {
    /// Returns a stream with the number of received bytes of the response's body, whenever it has changed.
    ///
    /// The stream finishes when the request ends or is cancelled. A retry counts from 0 again. Calling this does not
    /// resume the request, and does not replace its progress closure.
    ///
    /// - Parameter bufferingPolicy: which values a slow reader gets; by default only the newest.
    public func downloadProgress(
        bufferingPolicy: AsyncStream<OperationProgress>.Continuation.BufferingPolicy =
            .bufferingNewest(1)
    ) -> AsyncStream<OperationProgress> {
        progress(\.download, bufferingPolicy)
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
        progress(\.upload, bufferingPolicy)
    }

    private func progress(
        _ direction: WritableKeyPath<RequestState, ByteProgress>,
        _ policy: AsyncStream<OperationProgress>.Continuation.BufferingPolicy
    ) -> AsyncStream<OperationProgress> {
        let streams = state.withLock { state in
            let new = ProgressStreams()
            if state.phase == .ended || state.isCancelled { return new }
            let streams = state[keyPath: direction].streams ?? new
            state[keyPath: direction].streams = streams
            return streams
        }
        // If the request has ended, nothing else retains `streams`, and its deinit finishes the new stream.
        return streams.stream(policy)
    }
}
