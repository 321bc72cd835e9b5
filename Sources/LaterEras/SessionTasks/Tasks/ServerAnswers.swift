import Foundation
import HTTPSemantics
import Locking

/// What a session's delegate answered about servers.
///
/// `URLConnection` asks before each request, and an answer from another queue costs it a second
/// handshake. So an answer is stored and used for later requests to the same server, for an hour at most.
/// Once the server's certificate has expired, no answer about it is stored or used. A refusal is not stored,
/// since it ends its task.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list. Calls out on: nothing.
struct ServerAnswers: Sendable {
    enum Answer {
        /// The server is accepted, whatever the policy says.
        case accepted
        /// The policy decides, each time.
        case leftToPolicy
    }

    private struct Server: Hashable {
        let host: String
        let certificates: [Certificate]
    }

    private struct Known {
        let answer: Answer
        let clock: NetworkClock
        /// By the clock.
        let end: NetworkClock.Instant
    }

    private static let life = Duration.seconds(3_600)
    /// With more servers than this all answers are dropped, and the delegate is asked again.
    private static let limit = 128

    private struct State {
        var known: [Server: Known] = [:]
        /// How often `removeAll` was called.
        var round = 0
    }

    private let state = Locked(State())

    /// Answers to questions of an earlier round do not count.
    var round: Int { state.withLock { $0.round } }

    /// What was answered about a server, where that counts still.
    ///
    /// - Parameter date: today's, by the system's clock; certificates are judged by no other.
    func answer(about trust: ServerTrust, by clock: NetworkClock, at date: Date = Date()) -> Answer?
    {
        let server = Server(host: trust.host, certificates: trust.certificates)
        return state.withLock { state in
            guard let known = state.known[server] else { return nil }
            let isCurrent = known.clock == clock && clock.now < known.end
            guard isCurrent, Self.isInTime(trust, date) else {
                state.known[server] = nil
                return nil
            }
            return known.answer
        }
    }

    /// - Parameter round: of the question; since then another delegate or closure may answer.
    func add(
        _ answer: Answer, about trust: ServerTrust, in round: Int, by clock: NetworkClock,
        at date: Date = Date()
    ) {
        guard Self.isInTime(trust, date) else { return }
        let server = Server(host: trust.host, certificates: trust.certificates)
        let end = clock.now.advanced(by: Self.life)
        state.withLock { state in
            guard state.round == round else { return }
            if state.known.count >= Self.limit { state.known.removeAll() }
            state.known[server] = Known(answer: answer, clock: clock, end: end)
        }
    }

    func removeAll() {
        state.withLock { state in
            state.known.removeAll()
            state.round += 1
        }
    }

    private static func isInTime(_ trust: ServerTrust, _ date: Date) -> Bool {
        trust.certificates.first?.notAfter.map { date <= $0 } ?? false
    }
}
