package import Foundation
package import FoundationNetworking
import HTTPSemantics

/// Pure: what an operation answers a challenge when the caller has not taken it over (AU-3 to
/// AU-5).
enum ChallengeResponse: Equatable {
    case use(URLCredential)
    /// A wrong password is tried once; then the 401 is the answer.
    case continueWithoutCredential
    /// A server whose trust the policy refuses gets no request.
    case cancel

    /// - Parameter asked: the URL of the operation's request. Its credential is for that origin and
    ///   for no other that a redirect leads to (wound 65).
    init(
        space: URLProtectionSpace, asked: URL?, policy: SecurityPolicy, credential: URLCredential?,
        previousFailureCount: Int
    ) {
        if let trust = space.peerTrust {
            self =
                policy.evaluate(trust, forDomain: space.host)
                ? .use(PeerTrustCredential(peerTrust: trust)) : .cancel
        } else if let credential, previousFailureCount == 0, space.isOrigin(of: asked),
            space.takes(credential)
        {
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

extension URLProtectionSpace {
    /// A certificate answers where one is asked for, a user and password elsewhere.
    fileprivate func takes(_ credential: URLCredential) -> Bool {
        (authenticationMethod == NSURLAuthenticationMethodClientCertificate)
            == (credential is ClientCertificateCredential)
    }

    /// Whether it is about the server of a URL: its scheme, host and port, and no proxy on the way.
    package func isOrigin(of url: URL?) -> Bool {
        guard !isProxy(), let origin = url.flatMap(Origin.init) else { return false }
        return `protocol`?.lowercased() == origin.scheme && host.lowercased() == origin.host
            && port == origin.port
    }
}

extension SecurityPolicy {
    /// Whether an https URL need be asked at all: a policy that refuses every server is told at
    /// once.
    ///
    /// - Throws: `URLError.userCancelledAuthentication` above the `SecurityPolicyError`.
    package func mayAsk(_ url: URL?) throws(URLError) {
        guard url?.scheme?.lowercased() == "https" else { return }
        do {
            try check()
        } catch {
            var info: [String: Any] = [NSUnderlyingErrorKey: error]
            info[NSLocalizedDescriptionKey] = error.errorDescription
            info[NSURLErrorFailingURLErrorKey] = url
            throw URLError(.userCancelledAuthentication, described: info)
        }
    }
}
