import EventRecorder
import Foundation

/// How much of a body was moved in one attempt, and the object that shows it, made when somebody
/// asks.
struct ByteProgress {
    private(set) var completed: Int64 = 0
    private(set) var total: Int64 = 0
    private var shown: Progress?
    /// Called after each piece, on the queue.
    var handler: (queue: DispatchQueue, closure: Request.ProgressHandler)?

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
        guard shown != nil || handler != nil else { return nil }
        return Telling(progress: object, completed: completed, total: total, handler: handler)
    }

    /// A new attempt counts with a new object; one held from before stands still (AL-30).
    mutating func reset() {
        self = ByteProgress(handler: handler)
    }

    private init(handler: (queue: DispatchQueue, closure: Request.ProgressHandler)?) {
        self.handler = handler
    }

    init() {}

    struct Telling {
        let progress: Progress
        let completed: Int64
        let total: Int64
        let handler: (queue: DispatchQueue, closure: Request.ProgressHandler)?

        /// Called on the delegate queue, one call at a time.
        func tell() {
            progress.totalUnitCount = total
            progress.completedUnitCount = completed
            guard let handler else { return }
            // Foundation's progress guards itself, and does not say so.
            let sent = HandedOver(progress)
            handler.queue.recordedAsync { handler.closure(sent.value) }
        }
    }
}
