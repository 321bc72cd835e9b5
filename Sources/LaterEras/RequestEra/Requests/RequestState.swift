import CurlConnection
import Foundation
import FoundationNetworking
import Locking
import OperationNetworking
import SessionTasks

/// What changes in a request: one value under one lock.
///
/// The methods here and in `RequestState+Steps.swift` are its moves. They call nobody.
struct RequestState {
    /// Where a request is on its way to its one end.
    enum Phase: Equatable {
        /// Made, or running.
        case open
        /// The retrier was asked and has not answered; the number of the question.
        case asked(Int)
        /// The retrier said yes; the next attempt has not begun.
        case waiting(Int)
        /// Its end is under way on the delegate queue.
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
    /// What stands for it in a program's hands.
    var shownTask: URLSessionTask?
    /// The latest attempt failed before it had a task; what the task before got is not its answer.
    var isAnswerStale = false
    /// `resume()` was called.
    var isWanted = false
    /// The caller's last word was `suspend()`; a retry then waits for `resume()`.
    var isSuspended = false
    /// `cancel()` was called; no retry any more.
    var isCancelled = false
    /// How many handlers were added.
    var handlers = 0
    /// It ends once more for a stream closure alone: the handlers have heard the result.
    var isHeard = false
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
    /// The bytes received, also those that went to a stream closure.
    var received: Int64 = 0
    var download = ByteProgress()
    var upload = ByteProgress()

    // MARK: What stays over a retry

    /// Where the destination closure had an earlier attempt's file moved.
    var ownFile: URL?
    /// A file that nobody was given, or a form's folder: removed with the request.
    var ownedFile: URL?
    var stream: (@Sendable (Data) -> Void)?
    /// A stream closure that came after bytes were kept, until it has been given those.
    var lateStream: (@Sendable (Data) -> Void)?
    /// Where the body goes in place of being kept.
    var reader: BodyChannel?
    var credential: URLCredential?
    /// Challenges that wait for it.
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

    /// What the handlers are told.
    var outcome: (any Error)? { error ?? transferError }

    /// The response of the latest attempt.
    var response: HTTPURLResponse? {
        isAnswerStale ? nil : task?.response as? HTTPURLResponse
    }

    /// The times of the latest attempt.
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

    mutating func noteEnd() {
        if endTime == nil { endTime = now }
    }

    var now: TimeInterval { clock.time(at: MonotonicClock.now) }
}

/// The times of an attempt: by the calendar's clock, which is read once, and from there by one that
/// nobody sets.
struct AttemptClock {
    /// Seconds since the reference date.
    var date = Date().timeIntervalSinceReferenceDate
    /// The same moment in nanoseconds.
    var instant = MonotonicClock.now

    func time(at now: UInt64) -> TimeInterval {
        date + Double(Int64(bitPattern: now &- instant)) / 1e9
    }
}

extension Locked<RequestState> {
    /// Changes the state. What is replaced goes with the value before, after the lock: what callers gave away may
    /// call the request in its `deinit`.
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
