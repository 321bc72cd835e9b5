import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics

// What the transfer receives: redirects are followed, challenges answered, and the response delivered.

extension URLConnection {
    func notify(waitsFor wait: LoadWait?) {
        delegate?.connection(self, waitsFor: wait)
    }

    /// The transfer gets the connection that it waited for. False ends it with nothing sent.
    func mayBegin(_ transfer: Transfer) -> Bool {
        notify(waitsFor: nil)
        // The delegate may have cancelled.
        guard !isOver else { return false }
        guard let stored = caching.storedMeanwhile else { return true }
        transfer.cancel()
        serve(stored)
        return false
    }

    func received(_ head: ResponseHead, of transfer: Transfer) {
        let url = currentRequest.url ?? transfer.request.url
        let response = LazyHTTPResponse(
            head: head, url: url, isDecoded: transfer.request.decodes(head),
            latest: transport?.latestResponse ?? LatestResponse())
        takeCookies(of: head)
        retrying.isJudged = false
        follow(step(after: head, response, of: transfer), response)
    }

    /// What follows a head: a challenge, a redirect, or a response that the cache may replace.
    private func step(
        after head: ResponseHead, _ response: LazyHTTPResponse, of transfer: Transfer
    ) -> LoadStep {
        if let step = authentication.received(head, requests: transfer.sent.requests, in: self) {
            return step
        }
        return stepAfterLogin(head, response, of: transfer)
    }

    private func stepAfterLogin(
        _ head: ResponseHead, _ response: LazyHTTPResponse, of transfer: Transfer
    ) -> LoadStep {
        guard takes(.step) else {
            hold { self.follow(self.stepAfterLogin(head, response, of: transfer), response) }
            return .wait
        }
        return retry(after: head, response) ?? stepWithoutRetry(head, response, of: transfer)
    }

    private func stepWithoutRetry(
        _ head: ResponseHead, _ response: LazyHTTPResponse, of transfer: Transfer
    ) -> LoadStep {
        // The delegate may have cancelled or suspended it in the call about another try.
        guard !isOver else { return .wait }
        guard takes(.step) else {
            hold { self.follow(self.stepWithoutRetry(head, response, of: transfer), response) }
            return .wait
        }
        do {
            if let proposal = try redirect(after: head) {
                caching.passed(head)
                return step(proposing: proposal, after: response)
            }
        } catch {
            return .fail(error)
        }
        let isDecoded = transfer.request.decodes(head)
        // A body that stays coded is only for the load that asked for that coding.
        let isPersonal =
            !isDecoded && head.hasContentEncoding || authentication.hasCredential
            || transfer.request.clientIdentity != nil
            || trustDecisions.acceptedByDelegateOnly
        return caching.received(
            head, to: currentRequest, isDecoded: isDecoded, isPersonal: isPersonal)
    }

    /// Decides about the body by the step after its header, which may have come late.
    func follow(_ step: LoadStep, _ response: LazyHTTPResponse) {
        let step =
            takes(.step)
            ? asked(step, .credential(response), failureResponse: response) : step
        if isOver { return }
        if case .wait = step { return }
        // The delegate may have suspended the connection when it was asked.
        guard takes(.step) else { return hold { self.follow(step, response) } }
        switch step {
        case .ask, .wait: return
        case .fail(let error): return failSoon(error)
        case .goOn:
            // A refused login was not judged yet.
            guard let again = retry(after: response.head, response) else {
                if isOver { return }
                return takes(.step) ? deliver(response) : hold { self.follow(step, response) }
            }
            following = again
        case .send, .sendAgain, .serve: following = step
        }
        transfer?.decide(.discard)
    }

    /// Also of a header that is not the response's.
    func takeCookies(of head: ResponseHead) {
        configuration.cookieStorage?.storeCookies(
            of: head, for: currentRequest, at: configuration.clock)
    }

    private func redirect(after head: ResponseHead) throws(URLError) -> URLRequest? {
        guard (300..<400).contains(head.statusCode) else { return nil }
        return try Redirection.next(
            after: currentRequest, status: head.statusCode,
            location: head.fields.address(of: "Location"), count: redirectCount,
            limit: configuration.limits.redirects,
            mayLeaveTLS: configuration.followsRedirectsFromHTTPSToHTTP,
            keepsMethod: configuration.keepsMethodAfterRedirect)
    }

    func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) {
        let data = Data(bytes)
        caching.received(data)
        _ = callDelegate(.didReceiveData) { $0.connection(self, didReceive: data) }
    }

    /// The body must be sent again and cannot be rewound. libcurl cannot wait here: where the load is suspended, or the
    /// answer comes late, the request is prepared anew.
    func newBody(for transfer: Transfer) -> RequestBody? {
        let isPreparedAnew = !takes(.newBody)
        let sendAnew = { (stream: InputStream?) in
            self.sendAnew(with: stream) { self.fail(self.noNewBody) }
        }
        guard !isPreparedAnew, let answer = newBodyStream(whenLate: sendAnew) else {
            transfer.cancel()
            if isPreparedAnew { hold { self.load(self.currentRequest) } }
            return nil
        }
        guard let stream = answer, !isOver else { return nil }
        let new = BodySource.body(of: stream, for: currentRequest)
        // The caller's stream may cancel the load when it is closed, and then the new one is closed too.
        exchangeBody(for: BodySource(new, for: currentRequest)).close()
        return new
    }

    /// The last call, exactly one for each exchange that was started and not cancelled.
    func transfer(_ transfer: Transfer, didEndWith error: URLError?) {
        guard !isOver else { return }
        if let step = following {
            following = nil
            name = .none
            return take(step) {}
        }
        if let error { return ended(transfer, error) }
        if transfer.isEndVouchedFor, mustWaitForCache() { return }
        succeed()
    }

    /// Stores the response as the delegate allows.
    ///
    /// - Returns: whether the end waits for that. What a later load finds depends on the answer.
    private func mustWaitForCache() -> Bool {
        guard let (recording, cached) = caching.proposal else { return false }
        guard let stored = storable(cached, in: recording) else { return true }
        guard !isOver else { return false }
        recording.finish(cached, as: stored)
        return false
    }

    private func ended(_ transfer: Transfer, _ error: URLError) {
        guard takes(.step) else {
            return isPastDeadline ? fail(error) : hold { self.ended(transfer, error) }
        }
        if goesOn(afterFailureOf: transfer, error) { return }
        if let step = retry(after: error) { return take(step) {} }
        guard !isOver else { return }
        if let stored = caching.failed(with: error) { return serve(stored) }
        fail(retrying.isBudgetUsed && !retrying.isOver ? BudgetUsed.noted(in: error) : error)
    }

    private func deliver(_ response: LazyHTTPResponse) {
        let made = response.httpURLResponse
        retrying.isOver = true
        // The cache stores what the delegate saw.
        caching.willDeliver(made)
        counts.expect(response.head, to: currentRequest.httpMethod)
        guard let made else { return failSoon(noResponse) }
        if isUnaskedPart(response.head) {
            // A delegate that decides about responses is not asked about this one.
            _ = callDelegate(.didReceiveResponse) { $0.connection(self, didReceive: made) }
            return isOver ? () : failSoon(unaskedPart)
        }
        let answer = answered(shown(made)) { self.take($0) }
        if let answer, !isOver { take(answer) }
    }

    private func take(_ answer: ResponseDisposition?) {
        if let refusal = refusal(answer) { failSoon(refusal) } else { transfer?.decide(.deliver) }
    }

    /// Whether a response is a part of what was asked for as a whole (RFC 9110 section 15.3.7).
    private func isUnaskedPart(_ head: ResponseHead) -> Bool {
        head.statusCode == 206 && transfer?.request.hasField("Range") == false
    }

    private var unaskedPart: URLError {
        URLError(
            .badServerResponse, url: currentRequest.url,
            text: "The server sent a part (206), and the request has no Range.")
    }

    /// The error where Foundation accepts no such head.
    var noResponse: URLError { URLError(.badServerResponse, url: currentRequest.url) }

    // MARK: From the cache

    func serve(_ stored: StoredResponse) {
        guard takes(.step) else { return hold { self.serve(stored) } }
        transfer = nil
        let isRead = if case .file = stored.content { true } else { false }
        guard apply(isRead ? .read : .serve) else { return }
        guard let url = currentRequest.url else { return }
        let head = ResponseHead(
            version: "HTTP/1.1", statusCode: stored.status,
            fields: stored.fields)
        let made =
            transport?.latestResponse.response(for: head, url, isDecoded: stored.isDecoded)
            ?? head.response(for: url, isDecoded: stored.isDecoded)
        guard let response = made else { return fail(noResponse) }
        measurement.serves(head, to: currentRequest, isDecoded: stored.isDecoded)
        counts = ReceivedCounts(whole: stored.content.count)
        show(response) { _ in self.serveBody(of: stored) }
    }

    private func serveBody(of stored: StoredResponse) {
        guard takes(.step) else { return hold { self.serveBody(of: stored) } }
        switch stored.content {
        case .file(let file, let size, let digest):
            guard let url = currentRequest.url else { return }
            read(LocalReader(file, size: size, digest: digest, of: url))
        case .data(let body):
            if !body.isEmpty {
                _ = callDelegate(.didReceiveData) { $0.connection(self, didReceive: body) }
            }
            endReading()
        }
    }

    /// Ends a load that libcurl does not make, once the delegate has consumed the whole body.
    func endReading() {
        guard apply(.serve) else { return }
        noteActivity()
        goOnOnceConsumed()
    }
}
