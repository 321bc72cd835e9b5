import Foundation
import FoundationNetworking

/// Answers a challenge once, and only with what Foundation accepts. A nil credential, or a
/// credential for a scheme other than Basic, would crash Foundation. Default handling uses the
/// credential that the storage proposes at the first challenge, and takes the 401 as the response
/// otherwise.
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`, around the variable. Calls out on: the thread that answers,
/// without the lock.
final class ChallengeAnswer: @unchecked Sendable {
    // @unchecked because the variable is only touched under `lock`; the rest is constant.
    enum Outcome: Sendable {
        case use(URLCredential)
        case takeRefusal
        case cancel
    }

    private let takesCredential: Bool
    private let proposed: URLCredential?
    private let lock = NSLock()
    private var pass: (@Sendable (Outcome) -> Void)?

    init(_ challenge: URLAuthenticationChallenge, _ pass: @escaping @Sendable (Outcome) -> Void) {
        self.pass = pass
        takesCredential =
            challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
        proposed = challenge.previousFailureCount == 0 ? challenge.proposedCredential : nil
    }

    func give(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
        let pass = lock.withLock {
            defer { self.pass = nil }
            return self.pass
        }
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
