import Foundation
import FoundationNetworking
import HTTPSemantics

// Challenges to the delegate, and what follows its answers, which may come late.

extension URLConnection {
    /// What a challenge is about.
    enum Question {
        case trust(ServerTrust)
        /// Of an origin.
        case clientCertificate(Origin?)
        /// About a 401 or 407 whose body is not delivered yet.
        case credential(LazyHTTPResponse)
        /// About a tunnel that a proxy refused; there is no response.
        case tunnel(URLError)
    }

    /// Sends a challenge to the delegate.
    ///
    /// - Returns: its answer; nil where it will come late, and then `answeredLate` gets it.
    func ask(
        _ question: Question, _ space: URLProtectionSpace, proposed: URLCredential? = nil,
        failures: Int = 0, response: URLResponse? = nil
    ) -> ChallengeAnswer? {
        guard delegate != nil, transport != nil else { return .continueWithoutCredential }
        let decision = Decision<ChallengeAnswer>()
        let challenge = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: proposed, previousFailureCount: failures,
            failureResponse: response, error: nil, sender: ChallengeSender(decision))
        _ = tell(.challenge) { $0.connection(self, willSendRequestFor: challenge) }
        guard !isOver else { return .cancel }
        if let answer = decision.early { return answer }
        wait(for: decision) { self.answeredLate($0 ?? .abandoned, question) }
        return nil
    }

    private func answeredLate(_ answer: ChallengeAnswer, _ question: Question) {
        switch question {
        case .trust(let trust):
            take(step(after: answer, about: trust)) { load(currentRequest) }
        case .clientCertificate(let origin):
            take(step(after: answer, aboutCertificateFor: origin)) { load(currentRequest) }
        case .credential(let response):
            decide(authentication.answered(answer, in: self), response)
        case .tunnel(let error):
            goOn(authentication.answered(answer, in: self), after: error)
        }
    }

    // MARK: Credentials

    /// Asks the delegate where a step says so; other steps stay as they are.
    ///
    /// - Returns: a step other than `ask`.
    func asked(
        _ step: LoadStep, _ question: Question, failureResponse: LazyHTTPResponse? = nil
    ) -> LoadStep {
        guard case .ask(let challenge) = step else { return step }
        let answer = ask(
            question, challenge.offer.space, proposed: challenge.proposed,
            failures: challenge.previousFailureCount, response: failureResponse?.httpURLResponse)
        guard !isOver, let answer else { return .wait }
        return asked(
            authentication.answered(answer, in: self), question, failureResponse: failureResponse)
    }

    /// The delegate is asked once for each load, before the first credential is needed (AU-1).
    var mayUseCredentialStorage: Bool {
        if let answer = credentialStorageAnswer { return answer }
        let answer =
            tell(.shouldUseStorage) { $0.connectionShouldUseCredentialStorage(self) } ?? true
        credentialStorageAnswer = answer
        return answer
    }

    /// Asks for a client certificate or a proxy's credential after an exchange failed without one.
    ///
    /// - Returns: whether the load goes on, now or after a late answer.
    func goesOn(afterFailureOf transfer: Transfer, _ error: URLError) -> Bool {
        if asksForCertificate(afterFailureOf: transfer) { return true }
        guard !isOver else { return true }
        guard let head = transfer.refusedByProxy,
            let step = authentication.refusedTunnel(
                head, requests: transfer.sent.requests + 1, in: self)
        else { return false }
        goOn(step, after: error)
        return true
    }

    private func goOn(_ step: LoadStep, after error: URLError) {
        take(asked(step, .tunnel(error))) { fail(error) }
    }
}
