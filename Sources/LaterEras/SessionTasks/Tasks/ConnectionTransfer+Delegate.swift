import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking

// What the connection reports, on the network thread. A question that a handler decides goes to the delegate queue; the
// connection waits for the answer, the thread does not.
extension ConnectionTransfer: URLConnectionDelegate {
    private func asks(_ question: TaskInterest, about trust: ServerTrust? = nil) -> Bool {
        session.delegate?.session(session, asks: question, about: trust) ?? false
    }

    // MARK: - Sending

    func connection(
        _ connection: URLConnection, willSend request: URLRequest, redirectResponse: URLResponse?
    ) -> URLRequest? {
        note(request)
        return request
    }

    func connection(
        _ connection: URLConnection, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) -> URLConnection.Answer<URLRequest?> {
        let decision = Decision<URLRequest?>()
        guard let task else { return .later(decision) }
        let next =
            session.options.withLock({ $0.forwardsCredentialsToOtherOrigins })
            ? Self.keepingCredentials(of: connection.currentRequest, in: request) : request
        if asks(.redirect) {
            ask(
                .redirect(response, next) { chosen in
                    self.perform { decision.answer($0.following(chosen)) }
                })
        } else if let refusal = session.refusal(ofRedirectTo: next) {
            task.fail(with: refusal)
        } else {
            return .now(following(next))
        }
        return .later(decision)
    }

    /// The request with the credentials of the one before, where it lost them.
    private static func keepingCredentials(
        of before: URLRequest, in request: URLRequest
    ) -> URLRequest {
        var kept = request
        for field in ["Authorization", "Cookie", "Proxy-Authorization"]
        where kept.value(forHTTPHeaderField: field) == nil {
            kept.setValue(before.value(forHTTPHeaderField: field), forHTTPHeaderField: field)
        }
        return kept
    }

    /// Follows a redirect, whose host is judged by its own policy; on the network thread.
    private func following(_ chosen: URLRequest?) -> URLRequest? {
        if let chosen {
            note(chosen)
            connection?.trustRequirements = session.trustRequirements(for: chosen)
        }
        return chosen
    }

    func connection(
        _ connection: URLConnection, didSendBodyData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        send(.sent(bytesWritten, total: totalBytesWritten, of: totalBytesExpectedToWrite))
    }

    func connection(
        _ connection: URLConnection, newBodyStreamFor request: URLRequest
    ) -> URLConnection.Answer<InputStream?> {
        if case .file(_, let file) = source { return .now(InputStream(url: file)) }
        let decision = Decision<InputStream?>()
        ask(.body { decision.answer($0) })
        return .later(decision)
    }

    // MARK: - Challenges

    func connection(
        _ connection: URLConnection, willSendRequestFor challenge: URLAuthenticationChallenge
    ) {
        let trust = challenge.protectionSpace.peerTrust
        self.trust = trust ?? self.trust
        guard asks(.challenge, about: trust) else {
            challenge.sender?.performDefaultHandling(for: challenge)
            return
        }
        let clock = session.options.withLock { $0.clock }
        switch trust.flatMap({ session.servers.answer(about: $0, by: clock) }) {
        case .leftToPolicy?: challenge.sender?.performDefaultHandling(for: challenge)
        case .accepted?:
            if let trust {
                challenge.sender?.use(PeerTrustCredential(peerTrust: trust), for: challenge)
            }
        case nil:
            let round = session.servers.round
            ask(
                .challenge(challenge) {
                    self.note($0, $1, about: trust, in: round, by: clock)
                    self.answer(challenge, $0, $1)
                })
        }
    }

    /// Keeps an answer about a server. Only a credential with that trust accepts it; any other answer but a
    /// refusal leaves it to the policy.
    private func note(
        _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?,
        about trust: ServerTrust?, in round: Int, by clock: NetworkClock
    ) {
        guard let trust, disposition != .cancelAuthenticationChallenge else { return }
        let accepted = (credential as? PeerTrustCredential)?.peerTrust
        let isAccepted =
            disposition == .useCredential && accepted?.host == trust.host
            && accepted?.certificates == trust.certificates
        session.servers.add(
            isAccepted ? .accepted : .leftToPolicy, about: trust, in: round, by: clock)
    }

    private func answer(
        _ challenge: URLAuthenticationChallenge,
        _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?
    ) {
        switch disposition {
        case .useCredential:
            guard let credential else {
                challenge.sender?.continueWithoutCredential(for: challenge)
                return
            }
            challenge.sender?.use(credential, for: challenge)
        case .performDefaultHandling:
            challenge.sender?.performDefaultHandling(for: challenge)
        case .rejectProtectionSpace:
            challenge.sender?.rejectProtectionSpaceAndContinue(with: challenge)
        default:
            // As the reason, since the load of a challenge without an answer ends with another error.
            let text = "The delegate cancelled the challenge."
            task?.fail(
                with: URLError(.cancelled, url: task?.currentRequest?.url, text: text))
        }
    }

    // MARK: - Receiving

    func connection(
        _ connection: URLConnection, dispositionAfter response: URLResponse
    ) -> URLConnection.Answer<URLConnection.ResponseDisposition> {
        guard !(task is SessionDownloadTask), asks(.disposition) else {
            send(.response(response))
            return .now(.allow)
        }
        let decision = Decision<URLConnection.ResponseDisposition>()
        let becomesDownload = URLSession.ResponseDisposition.becomeDownloadNumber
        ask(
            .disposition(response) {
                switch $0 {
                case .allow: decision.answer(.allow)
                case becomesDownload: self.becomeDownload(response, decision)
                default: self.task?.cancel()
                }
            })
        return .later(decision)
    }

    private func becomeDownload(
        _ response: URLResponse, _ decision: Decision<URLConnection.ResponseDisposition>
    ) {
        guard let task else { return }
        session.becomeDownload(task, of: self, response) {
            self.perform {
                $0.connection?.responseIsStored()
                decision.answer(.allow)
            }
        }
    }

    func connection(_ connection: URLConnection, didReceive data: Data) {
        sendData(data)
    }

    func connectionBytesNotConsumed(_ connection: URLConnection) -> Int {
        // A reader may take any time; a delegate queue that is stuck ends the load.
        connection.consumer = .signals(isLimited: !isReaderBehind)
        let waiting = bytesWaiting
        let excess = waiting > Self.limitOfWaiting ? waiting : 0
        return isReaderBehind ? max(1, excess) : excess
    }

    func connection(
        _ connection: URLConnection, willStore cachedResponse: CachedURLResponse
    ) -> URLConnection.Answer<CachedURLResponse?> {
        guard asks(.store), task is SessionDataTask else {
            return .now(cachedResponse)
        }
        let decision = Decision<CachedURLResponse?>()
        ask(.store(cachedResponse) { decision.answer($0) })
        return .later(decision)
    }

    // MARK: - Ending

    func connection(_ connection: URLConnection, didFinishCollecting metrics: RequestMetrics) {
        send(.metrics(metrics))
    }

    func connectionDidFinishLoading(_ connection: URLConnection) {
        end(nil)
    }

    func connection(_ connection: URLConnection, didFailWithError error: any Error) {
        end(refined(error))
    }

    /// The error of a server that its policy refused, with the server's trust.
    private func refined(_ error: any Error) -> any Error {
        guard let failure = error as? URLError, failure.isAboutTrust, let trust else {
            return error
        }
        var info = failure.errorUserInfo
        info[NSURLErrorFailingURLPeerTrustErrorKey] = trust
        let refined = URLError(failure.code, described: info)
        return session.delegate?.session(session, errorFor: trust, refusedWith: refined) ?? refined
    }
}

extension TaskSession {
    /// What the server of a request must satisfy where no answer to a challenge decides.
    func trustRequirements(for request: URLRequest) -> ServerTrustRequirements {
        delegate?.session(self, trustFor: request) ?? ServerTrustRequirements()
    }
}

extension URLError {
    fileprivate var isAboutTrust: Bool {
        switch code {
        case .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
            true
        default: false
        }
    }
}

extension URLSession.ResponseDisposition {
    /// `becomeDownload`, which Foundation warns of by name on Linux.
    fileprivate static let becomeDownloadNumber = Self(rawValue: 2)
}
