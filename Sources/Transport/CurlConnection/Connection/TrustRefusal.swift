import Foundation
import HTTPSemantics

extension ServerTrustRequirements {
    /// Whether a server fulfils the requirements.
    func accept(_ trust: ServerTrust) -> Bool {
        TrustJudgement(of: trust, by: self, host: trust.host).isAccepted
    }

    /// The error for a server that does not fulfil the requirements; nil when it does.
    func refusal(of trust: ServerTrust, url: URL?) -> URLError? {
        let judgement = TrustJudgement(of: trust, by: self, host: trust.host)
        guard !judgement.isAccepted else { return nil }
        return URLError(
            judgement.errorCode ?? .serverCertificateUntrusted, url: url,
            text: judgement.objections)
    }

    /// The error for a server that the delegate refused. Where the requirements refuse it too, their
    /// error is the underlying one.
    func refusal(of trust: ServerTrust, url: URL?, saying text: String) -> URLError {
        let judged = refusal(of: trust, url: url)
        let reason = judged?.userInfo[NSLocalizedDescriptionKey] as? String
        return URLError(
            .userCancelledAuthentication, url: url,
            text: [text, reason].compactMap(\.self).joined(separator: " "), underlying: judged)
    }
}
