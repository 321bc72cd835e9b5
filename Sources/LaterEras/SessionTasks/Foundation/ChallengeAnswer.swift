import Foundation
import FoundationNetworking
import Locking

/// Answers a challenge once, and only with what Foundation accepts. A nil credential, or a
/// credential for a scheme other than Basic, would crash Foundation. Default handling uses the
/// credential that the storage proposes at the first challenge, and takes the 401 as the response
/// otherwise.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the closure. Calls out on: the thread that answers,
/// without the lock.
final class ChallengeAnswer: Sendable {
    enum Outcome: Sendable {
        case use(URLCredential)
        case takeRefusal
        case cancel
    }

    private let takesCredential: Bool
    private let proposed: URLCredential?
    private let pass: Locked<(@Sendable (Outcome) -> Void)?>

    init(_ challenge: URLAuthenticationChallenge, _ pass: @escaping @Sendable (Outcome) -> Void) {
        self.pass = Locked(pass)
        takesCredential =
            challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
        proposed = challenge.previousFailureCount == 0 ? challenge.proposedCredential : nil
    }

    func give(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
        let pass = pass.withLock { $0.take() }
        switch disposition {
        case .useCredential: pass?(outcome(of: credential))
        case .performDefaultHandling: pass?(outcome(of: proposed))
        default: pass?(.cancel)
        }
    }

    private func outcome(of credential: URLCredential?) -> Outcome {
        guard let credential, takesCredential else { return .takeRefusal }
        return .use(credential)
    }
}
