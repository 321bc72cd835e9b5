import Foundation
import FoundationNetworking
import HTTPSemantics

// Whether to talk to a server, and what to show it: asked after the handshake and before a byte of
// the request.

extension URLConnection {
    private enum Verdict {
        case go, later
        case refuse(URLError)
    }

    func transferMaySendRequest(_ transfer: Transfer) -> Bool {
        guard transfer.request.isSecure else { return !isOver }
        // Judged already where it asked for a certificate in this connection's handshake.
        var verdict = transfer.isJudged ? .go : verdict(on: transfer.peerTrust, of: transfer)
        if case .go = verdict, !isOver, transfer.certificateRequest.wasMade {
            verdict = self.verdict(onShowingTo: transfer)
        }
        return isGo(verdict, transfer)
    }

    func transfer(_ transfer: Transfer, mayShowCertificateTo trust: ServerTrust) -> Bool {
        isGo(verdict(on: trust, of: transfer), transfer)
    }

    private func isGo(_ verdict: Verdict, _ transfer: Transfer) -> Bool {
        guard !isOver else { return false }
        switch verdict {
        case .go: return true
        case .later: transfer.cancel()
        case .refuse(let error): failSoon(error)
        }
        return false
    }

    // MARK: The server

    /// What the delegate says; what it leaves open the requirements decide.
    private func verdict(on trust: ServerTrust, of transfer: Transfer) -> Verdict {
        if trust.certificates.isEmpty || delegate == nil { return judged(trust) }
        if let isAccepted = peers.isAccepted(trust) {
            return isAccepted ? vouched(trust) : judged(trust)
        }
        guard
            let answer = ask(
                .trust(trust), PeerTrustSpace(trust, port: transfer.request.url.port ?? 443))
        else {
            return .later
        }
        if answer.accepts(trust) { return vouched(trust) }
        return refusal(of: trust, by: answer) ?? judged(trust)
    }

    /// The delegate accepts the server, by its own rules if not by the requirements.
    private func vouched(_ trust: ServerTrust) -> Verdict {
        if case .refuse = judged(trust) { peers.isVouchedFor = true }
        return .go
    }

    private func judged(_ trust: ServerTrust) -> Verdict {
        trustRequirements.refusal(of: trust, url: currentRequest.url).map { .refuse($0) } ?? .go
    }

    private func refusal(of trust: ServerTrust, by answer: ChallengeAnswer) -> Verdict? {
        switch answer {
        case .cancel: refused(trust)
        case .abandoned:
            refused(trust, "The challenge about the server's trust was never answered.")
        default: nil
        }
    }

    private func refused(
        _ trust: ServerTrust, _ text: String = "The server's trust was refused."
    ) -> Verdict {
        .refuse(trustRequirements.refusal(of: trust, url: currentRequest.url, saying: text))
    }

    func answeredLate(about trust: ServerTrust, _ answer: ChallengeAnswer) {
        if case .refuse(let error) = refusal(of: trust, by: answer) { return fail(error) }
        peers.remember(trust, isAccepted: answer.accepts(trust))
        load(currentRequest)
    }

    // MARK: The client

    private func verdict(onShowingTo transfer: Transfer) -> Verdict {
        guard let space = certificateSpace(transfer) else { return .go }
        guard
            let answer = ask(
                .clientCertificate(Origin(transfer.request.url)), space)
        else {
            return .later
        }
        switch answer {
        case .use(let credential as ClientCertificateCredential):
            peers.show(credential, to: Origin(transfer.request.url))
            transport?.later { self.load(self.currentRequest) }
            return .later
        case .cancel, .abandoned:
            return .refuse(certificateRefusal)
        default:
            return .go
        }
    }

    /// Where a certificate may still help; nil where the delegate was asked already.
    private func certificateSpace(_ transfer: Transfer) -> URLProtectionSpace? {
        guard transfer.certificateRequest.wasMade, transfer.request.clientIdentity == nil,
            delegate != nil,
            peers.mustAskForCertificate(Origin(transfer.request.url))
        else { return nil }
        let url = transfer.request.url
        return ClientCertificateSpace(
            host: url.host() ?? "", port: url.port ?? 443,
            issuers: transfer.certificateRequest.issuers)
    }

    /// A server that insists ends the handshake when it is shown none: then the delegate is asked.
    ///
    /// - Returns: whether the load goes on, now or with the answer.
    func asksForCertificate(afterFailureOf transfer: Transfer) -> Bool {
        guard transfer.requestsSent == 0, let space = certificateSpace(transfer) else {
            return false
        }
        guard
            let answer = ask(
                .clientCertificate(Origin(transfer.request.url)), space)
        else {
            return true
        }
        guard !isOver else { return true }
        switch answer {
        case .use(let credential as ClientCertificateCredential):
            peers.show(credential, to: Origin(transfer.request.url))
            load(currentRequest)
        case .cancel, .abandoned:
            fail(certificateRefusal)
        default:
            return false
        }
        return true
    }

    func answeredLate(aboutCertificateFor origin: Origin?, _ answer: ChallengeAnswer) {
        switch answer {
        case .use(let credential as ClientCertificateCredential):
            peers.show(credential, to: origin)
            load(currentRequest)
        case .cancel, .abandoned:
            fail(certificateRefusal)
        default:
            load(currentRequest)
        }
    }

    private var certificateRefusal: URLError {
        URLError(
            .userCancelledAuthentication, url: currentRequest.url,
            text: "No certificate was given to the server, which asked for one.")
    }
}

extension ChallengeAnswer {
    /// Whether the answer vouches for exactly this server; a user and password say nothing about
    /// it.
    fileprivate func accepts(_ trust: ServerTrust) -> Bool {
        guard case .use(let credential as PeerTrustCredential) = self else { return false }
        let accepted = credential.peerTrust
        return accepted.host == trust.host && accepted.certificates == trust.certificates
    }
}
