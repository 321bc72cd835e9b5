import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics

// What the transfer receives: redirects are followed, challenges answered, the rest is the response.

extension URLConnection {
    /// The exchange waits for a connection.
    func transferMustWait(_ transfer: Transfer) {
        delegate?.connection(self, waitsFor: .connection)
    }

    /// The exchange gets the connection that it waited for. False ends it with nothing sent.
    func transferMayBegin(_ transfer: Transfer) -> Bool {
        delegate?.connection(self, waitsFor: nil)
        // The delegate may have cancelled.
        guard !isOver else { return false }
        guard let stored = caching.storedMeanwhile else { return true }
        transfer.cancel()
        serve(stored)
        return false
    }

    func transfer(_ transfer: Transfer, didReceive head: ResponseHead) -> BodyDisposition {
        let url = currentRequest.url ?? transfer.request.url
        let response = LazyHTTPResponse(
            head: head, url: url, isDecoded: transfer.request.decodes(head),
            after: transport?.latestResponse ?? LatestResponse())
        CookieHandling(configuration).take(head, for: currentRequest)
        retrying.isJudged = false
        let step = step(after: head, response, of: transfer)
        return disposition(for: step, response)
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
            hold { self.decide(self.stepAfterLogin(head, response, of: transfer), response) }
            return .wait
        }
        return retry(after: head, response) ?? stepWithoutRetry(head, response, of: transfer)
    }

    private func stepWithoutRetry(
        _ head: ResponseHead, _ response: LazyHTTPResponse, of transfer: Transfer
    ) -> LoadStep {
        // The delegate may have cancelled or suspended it when it heard that nothing is sent again.
        guard !isOver else { return .wait }
        guard takes(.step) else {
            hold { self.decide(self.stepWithoutRetry(head, response, of: transfer), response) }
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
        // What is left coded is for who asked for its coding.
        let isPersonal =
            !isDecoded && head.hasContentEncoding || authentication.hasCredential
            || transfer.request.clientIdentity != nil
            || trustDecisions.acceptedByDelegateOnly
        return caching.received(
            head, to: currentRequest, isDecoded: isDecoded, isPersonal: isPersonal)
    }

    /// What becomes of a body, by the step after its head.
    func disposition(for step: LoadStep, _ response: LazyHTTPResponse) -> BodyDisposition {
        let step =
            takes(.step)
            ? asked(step, .credential(response), failureResponse: response) : step
        guard !isOver else { return .discard }
        if case .wait = step { return .undecided }
        // The delegate may have suspended the connection when it was asked.
        guard takes(.step) else {
            hold { self.decide(step, response) }
            return .undecided
        }
        switch step {
        case .ask, .wait:
            return .undecided
        case .fail(let error):
            failSoon(error)
            return .discard
        case .goOn, .send, .sendAgain, .serve: break
        }
        if case .goOn = step {
            // A refused login was not judged yet.
            guard let again = retry(after: response.head, response) else {
                return isOver ? .discard : deliver(response)
            }
            following = again
            return .discard
        }
        following = step
        return .discard
    }

    /// The same after a decision that came late.
    func decide(_ step: LoadStep, _ response: LazyHTTPResponse) {
        let disposition = disposition(for: step, response)
        if !isOver { transfer?.decide(disposition) }
    }

    /// libcurl answers this 401 or 407 itself; it is not the response.
    func transfer(_ transfer: Transfer, didPassOver head: ResponseHead) {
        CookieHandling(configuration).take(head, for: currentRequest)
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
        _ = tell(.didReceiveData) { $0.connection(self, didReceive: data) }
    }

    /// No more bytes come while it is not 0.
    func transferBytesNotConsumed(_ transfer: Transfer) -> Int {
        delegate?.connectionBytesNotConsumed(self) ?? 0
    }

    func transfer(
        _ transfer: Transfer, didSend bytes: Int64, total: Int64, expected: Int64
    ) {
        _ = tell(.didSend) {
            $0.connection(
                self, didSendBodyData: bytes, totalBytesWritten: total,
                totalBytesExpectedToWrite: expected)
        }
    }

    /// The body must be sent again and cannot be rewound.
    func transferNeedsNewBody(_ transfer: Transfer) -> RequestBody? {
        guard let answer = newBodyStream() else {
            // libcurl cannot wait here. The request is sent anew with the stream that comes late.
            transfer.cancel()
            return nil
        }
        return answer.map {
            RequestBody($0, length: BodySource.declaredLength(of: currentRequest))
        }
    }

    /// The same while the load is suspended: the delegate is asked when it is resumed.
    func transferPreparesAnew(_ transfer: Transfer) {
        transfer.cancel()
        hold { self.load(self.currentRequest) }
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

    func deliver(_ response: LazyHTTPResponse) -> BodyDisposition {
        let made = response.httpURLResponse
        retrying.isOver = true
        // The cache stores what the delegate saw.
        caching.willDeliver(made)
        counts.expect(response.head, to: currentRequest.httpMethod)
        guard let made else {
            failSoon(noResponse)
            return .deliver
        }
        if isUnaskedPart(response.head) {
            // A delegate that decides about responses is not asked about this one.
            _ = tell(.didReceiveResponse) { $0.connection(self, didReceive: made) }
            if !isOver { failSoon(unaskedPart) }
            return .discard
        }
        return askedDisposition(of: made)
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
        let answer = answered(shown(response)) { self.serve(stored, after: $0) }
        if let answer { serve(stored, after: answer) }
    }

    private func serve(_ stored: StoredResponse, after answer: ResponseDisposition?) {
        if let refusal = refusal(answer) { fail(refusal) } else { serveBody(of: stored) }
    }

    func serveBody(of stored: StoredResponse) {
        guard !isOver else { return }
        guard takes(.step) else { return hold { self.serveBody(of: stored) } }
        switch stored.content {
        case .file(let file, let size):
            guard let url = currentRequest.url else { return }
            read(LocalReader(file, size: size, of: url))
        case .data(let body):
            if !body.isEmpty {
                _ = tell(.didReceiveData) { $0.connection(self, didReceive: body) }
            }
            endReading()
        }
    }

    /// Ends a load that libcurl does not make, whose whole body the delegate was given.
    func endReading() {
        guard apply(.serve) else { return }
        endServing(waiting: .max, since: configuration.clock.nanoseconds)
    }

    /// Ends the load once the delegate has taken every byte; fails it where none is taken for too long.
    private func endServing(waiting before: Int, since start: UInt64) {
        guard !isOver else { return }
        guard takes(.step) else {
            return hold {
                self.endServing(waiting: .max, since: self.configuration.clock.nanoseconds)
            }
        }
        let waiting = delegate?.connectionBytesNotConsumed(self) ?? 0
        guard !isOver else { return }
        guard waiting > 0 else { return succeed() }
        let now = configuration.clock.nanoseconds
        if let deadline, now >= deadline { return failForTime() }
        let start = waiting < before ? now : start
        if let limit = MonotonicClock.nanoseconds(currentRequest.timeoutInterval),
            now - start > limit, consumer != .signals(isLimited: false)
        {
            return fail(
                URLError(
                    .timedOut, url: currentRequest.url,
                    text: "The consumer took no bytes of the body for the timeoutInterval."))
        }
        waitForConsumer { self.endServing(waiting: waiting, since: start) }
    }
}
