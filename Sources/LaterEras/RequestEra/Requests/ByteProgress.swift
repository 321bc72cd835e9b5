import EventRecorder
import Foundation
import Locking
public import OperationNetworking

/// How much of a body was moved in one attempt, and the object that shows it, made when it is asked
/// for.
struct ByteProgress {
    private(set) var completed: Int64 = 0
    private(set) var total: Int64 = 0
    private var shown: Progress?
    /// Called after each piece, on the queue.
    private(set) var handler: (queue: DispatchQueue, closure: Request.ProgressHandler)?
    /// The closure was set after bytes were counted, and has not been called since.
    private var isBehind = false
    /// Streams that a caller asked for.
    var streams: ProgressStreams?

    var object: Progress {
        mutating get {
            if let shown { return shown }
            let progress = Progress(totalUnitCount: total)
            progress.completedUnitCount = completed
            shown = progress
            return progress
        }
    }

    /// - Returns: what is to be notified, outside the lock.
    mutating func note(_ completed: Int64, of total: Int64) -> Notice? {
        self.completed = completed
        self.total = total
        isBehind = false
        guard shown != nil || handler != nil || streams != nil else { return nil }
        return Notice(
            progress: object, completed: completed, total: total, handler: handler,
            streams: streams)
    }

    mutating func setHandler(
        _ closure: @escaping Request.ProgressHandler, on queue: DispatchQueue
    ) {
        handler = (queue, closure)
        isBehind = completed > 0
    }

    /// The call that a closure that came too late has missed, once.
    mutating func missed() -> Notice? {
        guard isBehind else { return nil }
        isBehind = false
        return Notice(
            progress: object, completed: completed, total: total, handler: handler, streams: nil)
    }

    /// A new attempt counts with a new object; an earlier one does not change any more (AL-30).
    mutating func reset() {
        let (handler, streams) = (handler, streams)
        self = ByteProgress()
        (self.handler, self.streams) = (handler, streams)
    }

    init() {}

    struct Notice {
        let progress: Progress
        let completed: Int64
        let total: Int64
        let handler: (queue: DispatchQueue, closure: Request.ProgressHandler)?
        let streams: ProgressStreams?

        /// Call on the delegate queue, one call at a time; after the end of a request on any
        /// thread.
        func send() {
            progress.totalUnitCount = total
            progress.completedUnitCount = completed
            streams?.yield(OperationProgress(completed, of: total))
            guard let handler else { return }
            // Foundation's progress guards itself, and does not say so.
            let sent = Handed(progress)
            handler.queue.recordedAsync { handler.closure(sent.value) }
        }
    }
}

extension Request {
    /// Sets a progress closure. Where bytes were transferred before, and none after, it is called once with their
    /// number: before the request's handlers, or now where the request has ended.
    func report(
        _ direction: WritableKeyPath<RequestState, ByteProgress>, on queue: DispatchQueue,
        _ closure: @escaping ProgressHandler
    ) {
        let notice = state.change { state -> ByteProgress.Notice? in
            state[keyPath: direction].setHandler(closure, on: queue)
            return state.phase == .ended ? state[keyPath: direction].missed() : nil
        }.result
        notice?.send()
    }

    /// Makes the calls that closures have missed; once the request has ended.
    func reportMissed() {
        let notices = state.withLock { [$0.upload.missed(), $0.download.missed()] }
        for notice in notices { notice?.send() }
    }

    /// Ends the streams, where the request has ended or is cancelled.
    func endProgress() {
        let streams = state.withLock { state in
            defer { (state.download.streams, state.upload.streams) = (nil, nil) }
            return [state.download.streams, state.upload.streams]
        }
        // Not under the lock, since it resumes readers.
        for streams in streams { streams?.end() }
    }
}

// Progress as streams, by Alamofire 5's names.

extension Request {
    /// The received bytes of the response's body as they come, until the request ends or is cancelled; resumes
    /// nothing.
    ///
    /// A retry counts from the beginning. It is independent of the progress closure.
    ///
    /// - Parameter bufferingPolicy: what a slow reader gets; the newest alone by default.
    public func downloadProgress(
        bufferingPolicy: AsyncStream<OperationProgress>.Continuation.BufferingPolicy =
            .bufferingNewest(1)
    ) -> AsyncStream<OperationProgress> {
        progress(\.download, bufferingPolicy)
    }

    /// The sent bytes of the request's body as they go; everything else is as for
    /// `downloadProgress(bufferingPolicy:)`.
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
        // After the end nothing else retains them, so the stream ends here.
        return streams.stream(policy)
    }
}
