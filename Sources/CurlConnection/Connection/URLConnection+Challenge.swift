import Foundation
import FoundationNetworking
import HTTPSemantics

// Questions to the delegate, and what becomes of its answers, whenever they come.

extension URLConnection {
    /// What the delegate was asked and has not answered.
    enum Question {
        case trust(ServerTrust)
        /// Of an origin.
        case clientCertificate(Origin?)
        /// About a 401 or 407 that is held back.
        case credential(LateResponse)
        /// About a tunnel that a proxy refused; there is no response to show.
        case tunnel(URLError)
    }

    /// Puts a challenge to the delegate.
    ///
    /// - Returns: its answer; nil when it will come late, and then `answeredLate` hears of it.
    func ask(
        _ question: Question, _ space: URLProtectionSpace, proposed: URLCredential? = nil,
        failures: Int = 0, response: URLResponse? = nil
    ) -> ChallengeAnswer? {
        guard delegate != nil, let transport else { return .continueWithoutCredential }
        // Strong: until the answer comes, nobody else may hold this connection.
        let own = OnOwnThread<ChallengeAnswer> { self.answeredLate($0) }
        let sender = ChallengeSender(mailbox: transport.mailbox) { own.run($0) }
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
            answeredLate(about: trust, answer)
        case .clientCertificate(let origin):
            answeredLate(aboutCertificateFor: origin, answer)
        case .credential(let response):
            let disposition = disposition(for: authentication.answered(answer, in: self), response)
            guard !isOver else { return }
            transfer?.decide(disposition)
        case .tunnel(let error):
            goOn(authentication.answered(answer, in: self), after: error)
        }
    }

    /// An exchange looks after the limit itself; where none is under way, this does.
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

    /// What becomes of a 401 or 407; nil where the head is none that asks for a credential.
    func challenge(_ head: ResponseHead, _ response: LateResponse) -> BodyDisposition? {
        authentication.received(head, requests: transfer?.requestsSent ?? 1, in: self).map {
            disposition(for: $0, response)
        }
    }

    private func disposition(
        for step: AuthenticationExchange.Step, _ response: LateResponse
    ) -> BodyDisposition {
        switch step {
        case .show:
            return deliver(response)
        case .sendAgain:
            nextRequest = currentRequest
            return .discard
        case .fail(let error):
            failSoon(error)
            return .discard
        case .ask(let challenge):
            let answer = ask(
                .credential(response), challenge.offer.space, proposed: challenge.proposed,
                failures: challenge.previousFailureCount, response: response.made())
            guard !isOver else { return .discard }
            guard let answer else { return .undecided }
            return disposition(for: authentication.answered(answer, in: self), response)
        }
    }

    /// Asked for once a load, before the first credential is needed (AU-1).
    var mayUseCredentialStorage: Bool {
        if let answer = credentialStorageAnswer { return answer }
        let answer =
            tell(.shouldUseStorage) { $0.connectionShouldUseCredentialStorage(self) } ?? true
        credentialStorageAnswer = answer
        return answer
    }

    /// An exchange failed: a certificate or a proxy's credential may help.
    ///
    /// - Returns: whether the load goes on, now or with the delegate's answer.
    func goesOn(afterFailureOf transfer: Transfer, _ error: URLError) -> Bool {
        if asksForCertificate(afterFailureOf: transfer) { return true }
        guard !isOver else { return true }
        guard let schemes = transfer.refusedByProxy,
            let step = authentication.refusedTunnel(
                schemes, requests: transfer.requestsSent + 1, in: self)
        else { return false }
        goOn(step, after: error)
        return true
    }

    private func goOn(_ step: AuthenticationExchange.Step, after error: URLError) {
        switch step {
        case .show:
            fail(error)
        case .sendAgain:
            load(currentRequest)
        case .fail(let other):
            fail(other)
        case .ask(let challenge):
            let answer = ask(
                .tunnel(error), challenge.offer.space, proposed: challenge.proposed,
                failures: challenge.previousFailureCount)
            guard !isOver, let answer else { return }
            goOn(authentication.answered(answer, in: self), after: error)
        }
    }
}
