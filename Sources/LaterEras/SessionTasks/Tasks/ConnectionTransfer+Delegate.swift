import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import OperationNetworking

// What the connection tells, on the network thread. A question that the session's delegate wants to
// decide goes to the delegate queue; the connection waits for the answer without the thread.
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
            session.forwardsCredentialsToOtherOrigins
            ? RedirectedRequest.keeping(of: connection.currentRequest, in: request) : request
        if asks(.redirect) {
            tell(
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

    /// Goes where a redirect leads, whose host is judged by its own policy; on the network thread.
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
        tell(.sent(bytesWritten, total: totalBytesWritten, of: totalBytesExpectedToWrite))
    }

    func connection(
        _ connection: URLConnection, newBodyStreamFor request: URLRequest
    ) -> URLConnection.Answer<InputStream?> {
        if case .file(_, let file) = source { return .now(InputStream(url: file)) }
        let decision = Decision<InputStream?>()
        tell(.body { decision.answer($0) })
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
        switch trust.flatMap({ session.servers.answer(about: $0, by: session.clock) }) {
        case .leftToPolicy?: challenge.sender?.performDefaultHandling(for: challenge)
        case .accepted?:
            if let trust {
                challenge.sender?.use(PeerTrustCredential(peerTrust: trust), for: challenge)
            }
        case nil:
            let round = session.servers.round
            tell(
                .challenge(challenge) {
                    self.note($0, $1, about: trust, in: round, by: self.session.clock)
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
            // As the reason, since the challenge that nobody answers ends the load as well.
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
            tell(.response(response))
            return .now(.allow)
        }
        let decision = Decision<URLConnection.ResponseDisposition>()
        let becomesDownload = URLSession.ResponseDisposition.becomeDownloadNumber
        tell(
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
        hand(over: data)
    }

    func connectionBytesNotConsumed(_ connection: URLConnection) -> Int {
        // A reader may take its time; a delegate queue that is stuck ends the load.
        connection.consumer = .signals(isLimited: !isReaderBehind)
        return isReaderBehind ? max(1, excess) : excess
    }

    func connection(
        _ connection: URLConnection, willStore cachedResponse: CachedURLResponse
    ) -> URLConnection.Answer<CachedURLResponse?> {
        guard asks(.store), task is SessionDataTask else {
            return .now(cachedResponse)
        }
        let decision = Decision<CachedURLResponse?>()
        tell(.store(cachedResponse) { decision.answer($0) })
        return .later(decision)
    }

    // MARK: - Ending

    func connection(_ connection: URLConnection, didFinishCollecting metrics: RequestMetrics) {
        tell(.metrics(metrics))
    }

    func connectionDidFinishLoading(_ connection: URLConnection) {
        end(nil)
    }

    func connection(_ connection: URLConnection, didFailWithError error: any Error) {
        end(refined(error))
    }

    /// The error of a server that its policy refused, with the server's trust (UM-19).
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
        delegate?.session(self, trustFor: request) ?? SecurityPolicy.default().requirements
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
