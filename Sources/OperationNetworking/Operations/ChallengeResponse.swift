import FoundationNetworking

/// Pure: what an operation answers a challenge when the caller has not taken it over (AU-4, AU-5).
enum ChallengeResponse: Equatable {
    case use(URLCredential)
    /// A wrong password is tried once; then the 401 is the answer.
    case continueWithoutCredential

    init(credential: URLCredential?, previousFailureCount: Int) {
        if let credential, previousFailureCount == 0 {
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
        }
    }
}
