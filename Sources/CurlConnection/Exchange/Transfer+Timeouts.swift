import Foundation
import FoundationNetworking

// The time limits. The transfer checks them, not libcurl.

extension Transfer {
    /// The next moment of the transport's clock at which `checkTimeouts` has something to do.
    var nextTimeoutCheck: UInt64? {
        let next = min(
            idleDeadline ?? .max, discardDeadline ?? .max,
            min(request.deadline ?? .max, connectDeadline ?? .max))
        return next == .max ? nil : next
    }

    private var discardDeadline: UInt64? { state == .discarding ? discarding.deadline : nil }

    /// Until the request goes out on a connection.
    private var connectDeadline: UInt64? {
        guard let limit = request.options.connectLimit, let since = connectingSince,
            measured.times.requestStart == 0, state.isWithLibcurl || state == .lookingUp
        else { return nil }
        return MonotonicClock.nanoseconds(limit).map { since + $0 }
    }

    /// Begins the time for a connection, where it has not begun.
    func noteConnecting() {
        guard connectingSince == nil, request.options.connectLimit != nil else { return }
        connectingSince = transport.clock.nanoseconds
        transport.scheduleTimeoutCheck(before: connectDeadline)
    }

    /// What a limit for the rate has libcurl wait for is not the server's idleness.
    private var idleDeadline: UInt64? {
        guard state.isIdlenessLimited, !rest.isOn else { return nil }
        let since = max(lastActivity, receivePace.owedUntil, sendPace.owedUntil)
        return MonotonicClock.nanoseconds(request.idleLimit).map { clamping(since, plus: $0) }
    }

    /// Ends the exchange where a limit has passed.
    func checkTimeouts(at now: UInt64) {
        if let deadline = request.deadline, deadline <= now {
            abortForTime("The limit for the whole transfer has passed.")
        } else if let discardDeadline, discardDeadline <= now {
            apply(.complete)
        } else if let connectDeadline, connectDeadline <= now {
            abortForTime("There was no connection within the limit (configuration.connectTimeout).")
        } else if let idleDeadline, idleDeadline <= now {
            abortForTime("Nothing was received or sent for \(request.idleLimit) seconds.")
        }
    }

    /// Asks whether a paused transfer may go on, where it is time to; by the system's clock.
    func poll(at now: UInt64) {
        if pauses.polling.isDue(at: now) { continueIfPossible() }
    }

    private func abortForTime(_ text: String) {
        apply(.abort, URLError(.timedOut, url: request.url, text: text))
    }
}
