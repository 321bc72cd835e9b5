import CurlConnection
import Foundation
import FoundationNetworking
import Locking
import OperationNetworking
import SessionTasks

/// What changes in a request: one value under one lock.
///
/// The methods here and in `RequestState+Steps.swift` are its moves. They call no other code.
struct RequestState {
    /// The state of a request.
    enum Phase: Equatable {
        /// Made, or running.
        case open
        /// The retrier was called and has not answered; the number of the question.
        case asked(Int)
        /// The retrier said yes; the next attempt has not begun.
        case waiting(Int)
        /// Its end is under way: on the delegate queue, or in `resume()` where there is no task.
        case ending
        /// The queue of the handlers was opened.
        case ended
    }

    var phase = Phase.open
    /// The number of the latest question to the retrier.
    var question = 0
    var retryCount: UInt = 0
    /// The task of the latest attempt; nil where none could be made.
    var task: SessionTask?
    /// The object of Foundation's class for `task`, if a caller has read it.
    var foundationTask: URLSessionTask?
    /// The latest attempt failed before it had a task; `task` is of the attempt before, and its
    /// response does not count.
    var isAnswerStale = false
    var wasResumed = false
    /// `suspend()` was called after the last `resume()`; a retry then waits for `resume()`.
    var isSuspended = false
    /// `cancel()` was called; no retry any more.
    var isCancelled = false
    var handlers = 0
    /// It ends once more for a stream closure alone: the handlers have got the result.
    var isResultDelivered = false
    /// The task's end was posted, and its override closure called.
    var isEndPosted = false

    // MARK: The outcome of an attempt

    /// The first failure that is not the transfer's: of the request's making, of a move, of a
    /// validation, or set by the program.
    var error: (any Error)?
    /// The transfer's failure, known at the end.
    var transferError: (any Error)?
    var data = Data()
    var resumeData: Data?
    /// A download's file where it was written, and where it is left without a destination. The next attempt
    /// removes it.
    var temporaryURL: URL?
    var destinationURL: URL?
    /// The bytes received, also those that a stream closure got.
    var received: Int64 = 0
    var download = ByteProgress()
    var upload = ByteProgress()

    // MARK: What stays over a retry

    /// Where the destination closure had an earlier attempt's file moved.
    var ownFile: URL?
    /// A file that could not be moved to its destination, or a form's folder: removed with the request.
    var ownedFile: URL?
    var stream: (@Sendable (Data) -> Void)?
    /// A stream closure that was set after bytes were stored, until it has got those.
    var lateStream: (@Sendable (Data) -> Void)?
    /// Gets the body, which is not stored then.
    var reader: BodyChannel?
    var credential: URLCredential?
    /// Challenges that wait for `credential`.
    var challenges: [@Sendable (URLCredential?) -> Void] = []
    var validations: [@Sendable () -> Void] = []
    /// How many of them have run in this attempt.
    var validated = 0

    // MARK: Instants, in seconds since the reference date by the attempt's clock

    var clock = AttemptClock()
    var startTime: TimeInterval?
    var initialResponseTime: TimeInterval?
    var endTime: TimeInterval?

    init(task: SessionTask?, error: (any Error)?) {
        self.task = task
        self.error = error
    }

    /// The error that the handlers get.
    var outcome: (any Error)? { error ?? transferError }

    var response: HTTPURLResponse? {
        isAnswerStale ? nil : task?.response as? HTTPURLResponse
    }

    var metrics: RequestMetrics? { isAnswerStale ? nil : task?.metrics }

    /// Forgets what an attempt gave.
    mutating func resetOutcome() {
        (error, transferError, resumeData, temporaryURL, destinationURL) = (nil, nil, nil, nil, nil)
        data = Data()
        received = 0
        validated = 0
        initialResponseTime = nil
        download.reset()
        upload.reset()
    }

    mutating func noteFirstBytes() {
        if initialResponseTime == nil { initialResponseTime = now }
    }

    mutating func noteSent(_ count: Int64, of total: Int64) -> ByteProgress.Notice? {
        noteFirstBytes()
        return upload.note(count, of: total)
    }

    mutating func noteWritten(_ count: Int64, of total: Int64) -> ByteProgress.Notice? {
        noteFirstBytes()
        return download.note(count, of: total)
    }

    mutating func noteEnd() {
        if endTime == nil { endTime = now }
    }

    var now: TimeInterval { clock.time(at: MonotonicClock.now) }
}

/// The times of an attempt: by the calendar's clock, which is read once, and from there by the
/// monotonic clock, which cannot be set.
struct AttemptClock {
    /// Seconds since the reference date.
    var date = Date().timeIntervalSinceReferenceDate
    /// The same time by the monotonic clock, in nanoseconds.
    var instant = MonotonicClock.now

    func time(at now: UInt64) -> TimeInterval {
        date + Double(Int64(bitPattern: now &- instant)) / 1e9
    }
}

extension Locked<RequestState> {
    /// Changes the state. What is replaced is released with the old value, after the lock: objects
    /// of callers may call the request in their `deinit`.
    @discardableResult
    func change<Outcome>(
        _ change: (inout RequestState) -> Outcome
    ) -> (result: Outcome, before: RequestState) {
        withLock { state in
            let before = state
            return (change(&state), before)
        }
    }
}
