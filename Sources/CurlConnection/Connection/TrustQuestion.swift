import Foundation
import FoundationNetworking

/// Takes the first answer to a server-trust challenge, during the question only.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the answer.
final class TrustQuestion: NSObject, URLAuthenticationChallengeSender, Sendable {
    enum Answer: Sendable {
        /// The delegate vouches for the server.
        case accept
        /// The delegate leaves it to the connection.
        case judge
        case refuse(String)
    }

    private enum State {
        case open
        case accepted(ServerTrust)
        case left
        case cancelled
        case closed
    }

    private let state = Locked(State.open)

    /// Ends the question; an answer that comes later changes nothing.
    ///
    /// - Parameter trust: what was asked about. To accept another server is no answer.
    func close(for trust: ServerTrust) -> Answer {
        let answer = state.withLock { state in
            defer { state = .closed }
            return state
        }
        return switch answer {
        case .accepted(let accepted)
        where accepted.host == trust.host && accepted.certificates == trust.certificates:
            .accept
        case .accepted, .left: .judge
        case .cancelled: .refuse("The server's trust was refused.")
        case .open, .closed:
            .refuse("The challenge about the server's trust was not answered when it was put.")
        }
    }

    private func give(_ answer: State) {
        state.withLock { state in
            if case .open = state { state = answer }
        }
    }

    /// A user and password say nothing about a server, so only a trust accepts.
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
        give((credential as? PeerTrustCredential).map { .accepted($0.peerTrust) } ?? .left)
    }

    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
        give(.left)
    }

    func cancel(_ challenge: URLAuthenticationChallenge) {
        give(.cancelled)
    }

    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
        give(.left)
    }

    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
        give(.left)
    }
}
