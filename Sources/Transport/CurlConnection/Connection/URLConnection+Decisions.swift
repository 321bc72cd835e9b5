import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics

// Questions to the delegate whose answers may come late, and the load after the answer. A delegate that
// is no `URLConnectionDecisionDelegate` returns its answers.

extension URLConnection {
    /// Asks the delegate.
    ///
    /// - Parameters:
    ///   - question: hands the decision to the delegate.
    ///   - goOn: gets a late answer, unless the load is over or asks another question by then; nil where
    ///     the decision was released without one.
    /// - Returns: the answer given during the call; nil where it will come late, or the load is over.
    func ask<Answer>(
        _ question: (Decision<Answer>) -> Void, whenLate goOn: @escaping (Answer?) -> Void
    ) -> Answer? {
        guard let transport = readyTransport() else { return nil }
        questions += 1
        let number = questions
        let before = phase
        // Strong, because nobody else may hold this connection until the answer comes.
        let decision = Decision<Answer>(transport.crossThreadJobs) { answer in
            self.answered(number, before) { goOn(answer) }
        }
        question(decision)
        guard !isOver else { return nil }
        let answer = decision.answerOfTheQuestion()
        if answer == nil {
            phase = .asked(number)
            watchDeadline()
        }
        return answer
    }

    func answered(_ number: Int, _ before: Phase, _ goOn: @escaping () -> Void) {
        guard case .asked(number) = phase else { return }
        guard !suspension.isOn else { return hold { self.answered(number, before, goOn) } }
        phase = before
        goOn()
    }

    /// Watches the limit for the whole load while no exchange does.
    func watchDeadline() {
        guard let deadline, !isDeadlineWatched, !isOver, let transport = readyTransport() else {
            return
        }
        isDeadlineWatched = true
        transport.later(at: deadline) { [weak self] in self?.deadlinePassed() }
    }

    private func deadlinePassed() {
        isDeadlineWatched = false
        if case .asked = phase {
            // The response is whole where its place in the cache is all that is missing.
            if caching.isOffered { succeed() } else { failForTime() }
        } else if suspension.isOn {
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

    func neverAnswered(_ what: String) -> URLError {
        URLError(
            .cancelled, url: currentRequest.url,
            text: "The question about \(what) was never answered; keep the decision until it is."
        )
    }

    // MARK: A redirect

    /// What follows a redirect, as the delegate decides.
    func step(proposing proposal: URLRequest, after response: LazyHTTPResponse) -> LoadStep {
        guard let decider else {
            let next =
                tell(.willSend) {
                    $0.connection(
                        self, willSend: proposal, redirectResponse: response.httpURLResponse)
                } ?? proposal
            return isOver ? .wait : step(redirectedTo: next)
        }
        guard let made = response.httpURLResponse else { return .fail(noResponse) }
        let answer: URLRequest?? = ask { decision in
            _ = tell(.willSend) { _ in
                decider.connection(
                    self, willPerformHTTPRedirection: made, newRequest: proposal,
                    decision: decision)
            }
        } whenLate: { answer in
            self.decide(
                answer.map { self.step(redirectedTo: $0) }
                    ?? .fail(self.neverAnswered("a redirect")),
                response)
        }
        guard let answer else { return .wait }
        return step(redirectedTo: answer)
    }

    private func step(redirectedTo next: URLRequest?) -> LoadStep {
        guard let next else { return .goOn }
        redirectCount += 1
        measurement.metrics.redirectCount = redirectCount
        return .send(next)
    }

    // MARK: The response

    /// What becomes of the body of a response that is shown now.
    func askedDisposition(of response: HTTPURLResponse) -> BodyDisposition {
        let answer = askAbout(response) { answer in
            self.transfer?.decide(self.disposition(answer))
        }
        if isOver { return .discard }
        return answer.map { disposition($0) } ?? .undecided
    }

    private func disposition(_ answer: ResponseDisposition?) -> BodyDisposition {
        guard let refusal = refusal(answer) else { return .deliver }
        failSoon(refusal)
        return .discard
    }

    /// Serves a stored response that is shown now.
    func askForServing(_ stored: StoredResponse, as response: HTTPURLResponse) {
        let answer = askAbout(response) { self.serve(stored, after: $0) }
        if let answer { serve(stored, after: answer) }
    }

    private func serve(_ stored: StoredResponse, after answer: ResponseDisposition?) {
        if let refusal = refusal(answer) { fail(refusal) } else { serveBody(of: stored) }
    }

    func askAbout(
        _ response: URLResponse, whenLate: @escaping (ResponseDisposition?) -> Void
    ) -> ResponseDisposition? {
        guard let decider else { return .allow }
        return ask { decision in
            _ = tell(.didReceiveResponse) { _ in
                decider.connection(self, didReceive: response, decision: decision)
            }
        } whenLate: {
            whenLate($0)
        }
    }

    func refusal(_ answer: ResponseDisposition?) -> URLError? {
        switch answer {
        case .allow: nil
        case .cancel:
            URLError(
                .cancelled, url: currentRequest.url, text: "The delegate cancelled at the response."
            )
        case nil: neverAnswered("the response")
        }
    }

    // MARK: The body's stream

    /// Asks for a stream with the bytes of the body.
    ///
    /// - Returns: the stream, or nil as the answer; no answer where it will come late, or the load is
    ///   over. The request is sent anew after a late answer.
    func newBodyStream() -> InputStream?? {
        guard let decider else {
            return .some(
                tell(.needNewBody) { $0.connection(self, needNewBodyStream: currentRequest) } ?? nil
            )
        }
        return ask { decision in
            _ = tell(.needNewBody) { _ in
                decider.connection(self, needNewBodyStream: currentRequest, decision: decision)
            }
        } whenLate: {
            self.sendAnew(with: $0 ?? nil)
        }
    }

    private func sendAnew(with stream: InputStream?) {
        guard let stream else { return fail(noNewBody) }
        body.use(stream)
        load(currentRequest)
    }

    var noNewBody: URLError {
        URLError(
            .requestBodyStreamExhausted, url: currentRequest.url,
            text: "The body must be sent again, and its stream can be read only once; use data or "
                + "a file, or give a new stream when asked.")
    }

    // MARK: The cache

    /// What the delegate lets the cache store; nil in its place keeps the response out.
    ///
    /// - Returns: no answer where it will come late, and then the load ends after it.
    func storable(
        _ cached: CachedURLResponse, in recording: CacheRecording
    ) -> CachedURLResponse?? {
        guard let decider else {
            return .some(
                tell(.willCache) { $0.connection(self, willCacheResponse: cached) } ?? cached)
        }
        caching.isOffered = true
        return ask { decision in
            _ = tell(.willCache) { _ in
                decider.connection(self, willCacheResponse: cached, decision: decision)
            }
        } whenLate: {
            recording.finish(cached, as: $0 ?? nil)
            self.succeed()
        }
    }
}
