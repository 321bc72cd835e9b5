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
        var manager: URLSessionManager?
        var session: GuardedSession?
        /// Foundation's task; nil between `suspend()` and the next start.
        var raw: URLSessionTask?
        /// Foundation's task that ended last; it must not be stopped any more.
        var ended: URLSessionTask?
        var isRawStarted = false
        var wasStarted = false
        /// When it was first resumed.
        var start = Date.distantPast
        /// As in Foundation, 1 at first.
        var suspendCount = 1
        var phase = Phase.live
        var response: URLResponse?
        var lastRequest: URLRequest?
        var error: (any Error)?
        /// The error that is reported in place of the transfer's own.
        var reason: (any Error)?
        var wantsResumeData: (@Sendable (Data?) -> Void)?
        var counts = Counts()
        var description: String?
        var priority = URLSessionTask.defaultPriority

        var state: URLSessionTask.State {
            switch phase {
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
        }

        /// Nil after the end.
        mutating func resume() -> Restart? {
            guard phase == .live else { return nil }
            let wasRunning = suspendCount == 0
            suspendCount = max(0, suspendCount - 1)
            if !wasStarted { start = Date() }
            defer { wasStarted = true }
            return Restart(
                isNews: !wasRunning, isFirst: !wasStarted,
                mustStart: !wasRunning && suspendCount == 0)
        }

        struct Suspension {
            /// Whether it was not suspended before.
            var isNews: Bool
            /// Foundation's task to cancel, because it cannot be continued (LX-06).
            var dropped: URLSessionTask?
        }

        /// Nil after the end.
        mutating func suspend() -> Suspension? {
            guard phase == .live else { return nil }
            let isNews = suspendCount == 0
            suspendCount += 1
            guard isNews, isRawStarted, let raw else { return Suspension(isNews: isNews) }
            lastRequest = raw.currentRequest
            self.raw = nil
            isRawStarted = false
            return Suspension(isNews: true, dropped: raw)
        }
    }
}
