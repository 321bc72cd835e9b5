import Alamofire
import Foundation

/// The lines that let a program talk to a server of its own, whose certificate nobody signed.
class DevelopmentTrust {
    let sessionManager = SessionManager(configuration: .ephemeral)
    private(set) var certificates: [Data] = []

    init() {
        sessionManager.delegate.sessionDidReceiveChallenge = { session, challenge in
            var disposition: URLSession.AuthChallengeDisposition = .performDefaultHandling
            var credential: URLCredential?

            if challenge.protectionSpace.authenticationMethod
                == NSURLAuthenticationMethodServerTrust,
                let trust: SecTrust = challenge.protectionSpace.serverTrust
            {
                self.certificates = (0...SecTrustGetCertificateCount(trust)).compactMap {
                    SecTrustGetCertificateAtIndex(trust, $0).map { SecCertificateCopyData($0) }
                }
                disposition = .useCredential
                credential = URLCredential(trust: trust)
            }

            return (disposition, credential)
        }
    }
}

/// The same as a delegate of one's own.
final class LenientDelegate: SessionDelegate {
    override func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(
            .useCredential,
            challenge.protectionSpace.serverTrust.flatMap { URLCredential(trust: $0) })
    }
}
