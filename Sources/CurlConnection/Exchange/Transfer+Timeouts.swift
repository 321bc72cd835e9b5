import Foundation
import FoundationNetworking

// The time limits. The transfer checks them, not libcurl.

extension Transfer {
    /// The next moment at which `checkTimeouts` has something to do.
    var nextTimeoutCheck: UInt64? {
        let next = min(
            pauses.polling.next ?? .max, idleDeadline ?? .max, discardDeadline ?? .max,
            request.deadline ?? .max)
        return next == .max ? nil : next
    }

    private var discardDeadline: UInt64? { state == .discarding ? discarding.deadline : nil }

    private var idleDeadline: UInt64? {
        guard state.isIdlenessLimited, !rest.isOn else { return nil }
        return MonotonicClock.nanoseconds(request.idleLimit).map { lastActivity + $0 }
    }

    /// Ends the exchange where a limit has passed, and asks whether a paused transfer may go on.
    func checkTimeouts(at now: UInt64) {
        if let deadline = request.deadline, deadline <= now {
            abortForTime("The limit for the whole transfer has passed.")
        } else if let discardDeadline, discardDeadline <= now {
            apply(.complete)
        } else if let idleDeadline, idleDeadline <= now {
            abortForTime("Nothing was received or sent for \(request.idleLimit) seconds.")
        } else if pauses.polling.isDue(at: now) {
            continueIfPossible()
        }
    }

    private func abortForTime(_ text: String) {
        apply(.abort, URLError(.timedOut, url: request.url, text: text))
    }
}
