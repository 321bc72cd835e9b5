package import Foundation
package import FoundationNetworking
import HTTPSemantics

/// How an operation answers a challenge for which the caller has set no block.
enum ChallengeResponse: Equatable {
    case use(URLCredential)
    /// A rejected credential is not sent again; the response is then the 401.
    case continueWithoutCredential
    /// The policy refuses the server, so no request is sent to it.
    case cancel

    /// - Parameter asked: the URL of the operation's request. The credential is sent to its origin alone,
    ///   and not to another one after a redirect.
    init(
        space: URLProtectionSpace, asked: URL?, policy: SecurityPolicy, credential: URLCredential?,
        previousFailureCount: Int
    ) {
        if let trust = space.peerTrust {
            self =
                policy.evaluate(trust, forDomain: space.host)
                ? .use(PeerTrustCredential(peerTrust: trust)) : .cancel
        } else if let credential, previousFailureCount == 0, space.isOrigin(of: asked),
            space.accepts(credential)
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
    /// A client certificate is for a request for one, and a password for all others.
    fileprivate func accepts(_ credential: URLCredential) -> Bool {
        (authenticationMethod == NSURLAuthenticationMethodClientCertificate)
            == (credential is ClientCertificateCredential)
    }

    /// Whether it belongs to the origin of a URL, and not to a proxy.
    package func isOrigin(of url: URL?) -> Bool {
        guard !isProxy(), let origin = url.flatMap(Origin.init) else { return false }
        return `protocol`?.lowercased() == origin.scheme && host.lowercased() == origin.host
            && port == origin.port
    }
}

extension SecurityPolicy {
    /// Refuses an https URL at once if the policy accepts no server.
    ///
    /// - Throws: `URLError.userCancelledAuthentication` with the `SecurityPolicyError` as underlying error.
    func mayAsk(_ url: URL?) throws(URLError) {
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
