import CurlConnection
import FoundationNetworking

/// Pure: what an operation answers a challenge when the caller has not taken it over (AU-3 to AU-5).
enum ChallengeResponse: Equatable {
    case use(URLCredential)
    /// A wrong password is tried once; then the 401 is the answer.
    case continueWithoutCredential
    /// A server whose trust the policy refuses gets no request.
    case cancel

    init(
        space: URLProtectionSpace, policy: SecurityPolicy, credential: URLCredential?,
        previousFailureCount: Int
    ) {
        if let trust = space.peerTrust {
            self =
                policy.evaluate(trust, forDomain: space.host)
                ? .use(PeerTrustCredential(peerTrust: trust)) : .cancel
        } else if let credential, previousFailureCount == 0 {
            self = .use(credential)
        } else {
            self = .continueWithoutCredential
        }
    }

    func answer(_ challenge: URLAuthenticationChallenge) {
        switch self {
        case .use(let credential):
            challenge.sender?.use(credential, for: challenge)
        case .continueWithoutCredential:
            challenge.sender?.continueWithoutCredential(for: challenge)
        case .cancel:
            challenge.sender?.cancel(challenge)
        }
    }
}
