import Foundation
import FoundationNetworking
import HTTPSemantics

// Challenges to the delegate, and what follows its answers, which may come late.

extension URLConnection {
    /// A challenge that the delegate has not answered.
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
        guard delegate != nil, let transport else { return .continueWithoutCredential }
        // Strong, because nobody else may hold this connection until the answer comes.
        let sender = ChallengeSender(transport.crossThreadJobs) { self.answeredLate($0) }
        let challenge = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: proposed, previousFailureCount: failures,
            failureResponse: response, error: nil, sender: sender)
        _ = tell(.challenge) { $0.connection(self, willSendRequestFor: challenge) }
        guard !isOver else { return .cancel }
        let answer = sender.answerOfTheQuestion()
        if answer == nil {
            phase = .challenged(question)
            limitWaiting()
        }
        return answer
    }

    private func answeredLate(_ answer: ChallengeAnswer) {
        guard case .challenged(let question) = phase else { return }
        phase = .transferring
        switch question {
        case .trust(let trust):
            take(step(after: answer, about: trust)) { load(currentRequest) }
        case .clientCertificate(let origin):
            take(step(after: answer, aboutCertificateFor: origin)) { load(currentRequest) }
        case .credential(let response):
            let disposition = disposition(for: authentication.answered(answer, in: self), response)
            guard !isOver else { return }
            transfer?.decide(disposition)
        case .tunnel(let error):
            goOn(authentication.answered(answer, in: self), after: error)
        }
    }

    /// Checks the time limit while no exchange, which would check it, is under way.
    private func limitWaiting() {
        guard let deadline else { return }
        let now = MonotonicClock.now
        later(after: deadline > now ? Double(deadline - now) / 1_000_000_000 : 0.001) {
            [weak self] in
            guard let self, case .challenged = phase else { return }
            failForTime()
        }
    }

    /// The load took longer than it may in all.
    func failForTime() {
        fail(
            URLError(
                .timedOut, url: currentRequest.url,
                text: "The limit for the whole transfer has passed."))
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
        guard let schemes = transfer.refusedByProxy,
            let step = authentication.refusedTunnel(
                schemes, requests: transfer.sent.requests + 1, in: self)
        else { return false }
        goOn(step, after: error)
        return true
    }

    private func goOn(_ step: LoadStep, after error: URLError) {
        take(asked(step, .tunnel(error))) { fail(error) }
    }
}
