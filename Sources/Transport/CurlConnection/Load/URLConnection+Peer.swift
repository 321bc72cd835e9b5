import Foundation
import FoundationNetworking
import HTTPSemantics

// Whether a server is trusted, and the client certificate for it: asked after the handshake and before
// any byte of the request.

extension URLConnection {
    /// After the handshake and before any byte of each request, also on a kept connection. False ends the
    /// exchange with nothing sent. A server is judged here and in the handshake (below) alone: libcurl judges only
    /// the certificate of a proxy.
    func transferMaySendRequest(_ transfer: Transfer) -> Bool {
        guard transfer.request.isSecure else { return !isOver }
        // A server that asked for a certificate was judged in this connection's handshake.
        var step = transfer.tls.isJudged ? .goOn : verdict(on: transfer.peerTrust, of: transfer)
        if case .goOn = step, !isOver, transfer.tls.certificateRequest?.wasMade == true {
            step = verdict(onShowingTo: transfer)
        }
        return mayGoOn(step, transfer)
    }

    /// In the handshake, where the server asks for a client certificate and its own is known. False ends the
    /// exchange, and nothing is shown.
    func transfer(_ transfer: Transfer, mayShowCertificateTo trust: ServerTrust) -> Bool {
        mayGoOn(verdict(on: trust, of: transfer), transfer)
    }

    /// Whether the exchange goes on. Otherwise it ends here, inside the transfer's callback.
    private func mayGoOn(_ step: LoadStep, _ transfer: Transfer) -> Bool {
        guard !isOver else { return false }
        switch step {
        case .goOn: return true
        case .send(let request):
            transfer.cancel()
            transport?.later { self.load(request) }
        case .sendAgain, .serve, .ask, .wait: transfer.cancel()
        case .fail(let error): failSoon(error)
        }
        return false
    }

    // MARK: The server

    /// The delegate decides, and the requirements where it leaves that to them.
    private func verdict(on trust: ServerTrust, of transfer: Transfer) -> LoadStep {
        if trust.certificates.isEmpty || delegate == nil { return judged(trust) }
        if let isAccepted = trustDecisions.isAccepted(trust) {
            return isAccepted ? vouched(trust) : judged(trust)
        }
        guard
            let answer = ask(
                .trust(trust), PeerTrustSpace(trust, port: transfer.request.url.port ?? 443))
        else {
            return .wait
        }
        if answer.accepts(trust) { return vouched(trust) }
        return refusal(of: trust, by: answer) ?? judged(trust)
    }

    /// The delegate accepts the server, also where the requirements do not.
    private func vouched(_ trust: ServerTrust) -> LoadStep {
        if case .fail = judged(trust) { trustDecisions.acceptedByDelegateOnly = true }
        return .goOn
    }

    private func judged(_ trust: ServerTrust) -> LoadStep {
        trustRequirements.refusal(of: trust, url: currentRequest.url).map { .fail($0) } ?? .goOn
    }

    private func refusal(of trust: ServerTrust, by answer: ChallengeAnswer) -> LoadStep? {
        switch answer {
        case .cancel: refused(trust)
        case .abandoned:
            refused(
                trust,
                "The challenge about the server's trust was never answered; keep it until you call "
                    + "its sender.")
        default: nil
        }
    }

    private func refused(
        _ trust: ServerTrust, _ text: String = "The server's trust was refused."
    ) -> LoadStep {
        .fail(trustRequirements.refusal(of: trust, url: currentRequest.url, saying: text))
    }

    /// Keeps a late answer for the next exchange; the one that was asked about is cancelled.
    func step(after answer: ChallengeAnswer, about trust: ServerTrust) -> LoadStep {
        if let refusal = refusal(of: trust, by: answer) { return refusal }
        guard trustDecisions.remember(trust, isAccepted: answer.accepts(trust)) else {
            return refused(
                trust,
                "The server showed another certificate in each handshake, and each answer about its trust came too "
                    + "late for that; answer the challenge before the call returns.")
        }
        return .goOn
    }

    // MARK: The client

    private func verdict(onShowingTo transfer: Transfer) -> LoadStep {
        guard let space = certificateSpace(transfer) else { return .goOn }
        return askForCertificate(transfer, space)
    }

    private func askForCertificate(
        _ transfer: Transfer, _ space: URLProtectionSpace
    ) -> LoadStep {
        let origin = Origin(transfer.request.url)
        guard let answer = ask(.clientCertificate(origin), space), !isOver else { return .wait }
        return step(after: answer, aboutCertificateFor: origin)
    }

    /// `goOn` shows no certificate.
    func step(after answer: ChallengeAnswer, aboutCertificateFor origin: Origin?) -> LoadStep {
        switch answer {
        case .use(let credential as ClientCertificateCredential):
            trustDecisions.show(credential, to: origin)
            return .send(currentRequest)
        case .cancel, .abandoned:
            return .fail(certificateRefusal)
        default:
            return .goOn
        }
    }

    /// The protection space of a challenge for a certificate; nil where none was asked for, the transfer has one, or
    /// the delegate was asked already.
    private func certificateSpace(_ transfer: Transfer) -> URLProtectionSpace? {
        guard let request = transfer.tls.certificateRequest, request.wasMade,
            transfer.request.clientIdentity == nil,
            delegate != nil,
            trustDecisions.mustAskForCertificate(Origin(transfer.request.url))
        else { return nil }
        let url = transfer.request.url
        return ClientCertificateSpace(
            host: url.host() ?? "", port: url.port ?? 443,
            issuers: request.issuers)
    }

    /// Asks the delegate where a server, shown no certificate, has ended the handshake.
    ///
    /// - Returns: whether the load goes on, now or after a late answer.
    func asksForCertificate(afterFailureOf transfer: Transfer) -> Bool {
        guard transfer.sent.requests == 0, let space = certificateSpace(transfer) else {
            return false
        }
        let step = askForCertificate(transfer, space)
        if case .goOn = step { return false }
        take(step) {}
        return true
    }

    private var certificateRefusal: URLError {
        URLError(
            .userCancelledAuthentication, url: currentRequest.url,
            text: "The server asks for a client certificate, and none was given; set "
                + "clientCertificate, or answer the challenge with one.")
    }
}

extension ChallengeAnswer {
    /// Whether the answer accepts exactly this server.
    fileprivate func accepts(_ trust: ServerTrust) -> Bool {
        guard case .use(let credential as PeerTrustCredential) = self else { return false }
        let accepted = credential.peerTrust
        return accepted.host == trust.host && accepted.certificates == trust.certificates
    }
}
