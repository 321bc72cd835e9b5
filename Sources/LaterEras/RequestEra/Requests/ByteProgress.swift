import EventRecorder
import Foundation
import Locking
import OperationNetworking

/// How much of a body was moved in one attempt, and the object that shows it, made when somebody
/// asks.
struct ByteProgress {
    private(set) var completed: Int64 = 0
    private(set) var total: Int64 = 0
    private var shown: Progress?
    /// Called after each piece, on the queue.
    private(set) var handler: (queue: DispatchQueue, closure: Request.ProgressHandler)?
    /// The closure was set after bytes were counted, and has not been called since.
    private var isBehind = false
    /// Tasks of Swift's that read.
    var streams: ProgressStreams?

    /// The live object.
    var object: Progress {
        mutating get {
            if let shown { return shown }
            let progress = Progress(totalUnitCount: total)
            progress.completedUnitCount = completed
            shown = progress
            return progress
        }
    }

    /// - Returns: what must be told, without a lock.
    mutating func note(_ completed: Int64, of total: Int64) -> Telling? {
        self.completed = completed
        self.total = total
        isBehind = false
        guard shown != nil || handler != nil || streams != nil else { return nil }
        return Telling(
            progress: object, completed: completed, total: total, handler: handler,
            streams: streams)
    }

    mutating func setHandler(
        _ closure: @escaping Request.ProgressHandler, on queue: DispatchQueue
    ) {
        handler = (queue, closure)
        isBehind = completed > 0
    }

    /// What a closure that came too late has missed, once.
    mutating func missed() -> Telling? {
        guard isBehind else { return nil }
        isBehind = false
        return Telling(
            progress: object, completed: completed, total: total, handler: handler, streams: nil)
    }

    /// A new attempt counts with a new object; one held from before stands still (AL-30).
    mutating func reset() {
        let (handler, streams) = (handler, streams)
        self = ByteProgress()
        (self.handler, self.streams) = (handler, streams)
    }

    init() {}

    struct Telling {
        let progress: Progress
        let completed: Int64
        let total: Int64
        let handler: (queue: DispatchQueue, closure: Request.ProgressHandler)?
        let streams: ProgressStreams?

        /// Called on the delegate queue, one call at a time; after the end of a request by anybody.
        func tell() {
            progress.totalUnitCount = total
            progress.completedUnitCount = completed
            streams?.tell(OperationProgress(completed, of: total))
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
        let telling = state.change { state -> ByteProgress.Telling? in
            state[keyPath: direction].setHandler(closure, on: queue)
            return state.phase == .ended ? state[keyPath: direction].missed() : nil
        }.result
        telling?.tell()
    }

    /// Tells closures what they have missed; once the request has ended.
    func reportMissed() {
        let tellings = state.withLock { [$0.upload.missed(), $0.download.missed()] }
        for telling in tellings { telling?.tell() }
    }

    /// Ends what tasks of Swift's read, where the request has ended or is cancelled.
    func endProgress() {
        let streams = state.withLock { state in
            defer { (state.download.streams, state.upload.streams) = (nil, nil) }
            return [state.download.streams, state.upload.streams]
        }
        // Not under the lock, since a reader goes on by it.
        for streams in streams { streams?.end() }
    }
}
