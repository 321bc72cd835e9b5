import CurlConnection
import Foundation
import FoundationNetworking

extension SessionTask {
    enum Phase { case live, cancelling, completed }

    /// Bytes; -1 is unknown (LX-19).
    struct Counts {
        var sent: Int64 = 0
        var received: Int64 = 0
        var toSend: Int64 = -1
        var toReceive: Int64 = -1
    }

    /// The variables of a task.
    struct Values {
        /// Released at the end.
        var session: TaskSession?
        var transfer: ConnectionTransfer?
        /// The transfer that ended last; it must not be stopped any more.
        var ended: ConnectionTransfer?
        var isTransferStarted = false
        /// Whether `transfer` was ever resumed, so that it tells of its end.
        var wasTransferStarted = false
        var wasStarted = false
        /// When it was first resumed.
        var start = Date.distantPast
        /// The same in nanoseconds of the monotonic clock.
        var queued: UInt64 = 0
        /// As in Foundation, 1 at first.
        var suspendCount = 1
        var phase = Phase.live
        var response: URLResponse?
        var error: (any Error)?
        /// The error that is reported in place of the transfer's own.
        var reason: (any Error)?
        var wantsResumeData: (@Sendable (Data?) -> Void)?
        /// The error of an era that could not put the file of a download where it belongs.
        var placementFailure: (any Error)?
        /// The session whose delegate has not heard of a task that could not be made.
        var unheardFailure: TaskSession?
        /// The download that goes on in place of this data task.
        var successor: SessionDownloadTask?
        var counts = Counts()
        var metrics: RequestMetrics?
        var description: String?
        var priority = URLSessionTask.defaultPriority
        /// Whether a reader takes the body as it comes.
        var isBodyStreamed = false
        /// Whether it was suspended when its manager went, which its state then goes on to say.
        var staysSuspended = false

        var state: URLSessionTask.State {
            switch phase {
            case _ where staysSuspended: .suspended
            case .live: suspendCount == 0 ? .running : .suspended
            case .cancelling: .canceling
            case .completed: .completed
            }
        }

        struct Restart {
            /// Whether it was not running before.
            var isNews: Bool
            var isFirst: Bool
            var mustStart: Bool
            var session: TaskSession?
        }

        /// Nil after the end.
        mutating func resume() -> Restart? {
            guard phase == .live else { return nil }
            let wasRunning = suspendCount == 0
            suspendCount = max(0, suspendCount - 1)
            if !wasStarted {
                start = Date()
                queued = MonotonicClock.now
            }
            defer { wasStarted = true }
            return Restart(
                isNews: !wasRunning, isFirst: !wasStarted,
                mustStart: !wasRunning && suspendCount == 0, session: session)
        }

        struct Suspension {
            /// Whether it was not suspended before.
            var isNews: Bool
            var step: Step?
            var session: TaskSession?
        }

        /// Nil after the end.
        mutating func suspend() -> Suspension? {
            guard phase == .live else { return nil }
            let isNews = suspendCount == 0
            suspendCount += 1
            guard isNews, isTransferStarted, let transfer else {
                return Suspension(isNews: isNews, session: session)
            }
            isTransferStarted = false
            return Suspension(isNews: true, step: .hold(transfer), session: session)
        }
    }

    /// What a change of the values requires of a transfer.
    enum Step {
        case hold(ConnectionTransfer)
        case stop(ConnectionTransfer)
    }
}
