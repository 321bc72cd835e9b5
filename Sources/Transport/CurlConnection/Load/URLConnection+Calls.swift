import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking

// Calls of the delegate, as a recording sees them.

extension URLConnection {
    /// Calls the delegate; nil where there is none any more.
    ///
    /// Not for `connectionBytesNotConsumed`, whose many short calls would hide the others.
    func callDelegate<Result>(
        _ method: @autoclosure () -> EventText, _ call: (any URLConnectionDelegate) -> Result
    ) -> Result? {
        callDelegate(delegate, method(), call)
    }

    /// Calls a delegate, which the connection may have released already, and records the call.
    func callDelegate<Result>(
        _ delegate: (any URLConnectionDelegate)?, _ method: @autoclosure () -> EventText,
        _ call: (any URLConnectionDelegate) -> Result
    ) -> Result? {
        guard let delegate else { return nil }
        return EventRecorder.span(.delegateCall, subject: number, text: method()) { call(delegate) }
    }
}

extension EventText {
    static let willSend = EventText(fixed: "connection(_:willSend:redirectResponse:)")
    static let challenge = EventText(fixed: "connection(_:willSendRequestFor:)")
    static let shouldUseStorage = EventText(fixed: "connectionShouldUseCredentialStorage(_:)")
    static let willRedirect = EventText(
        fixed: "connection(_:willPerformHTTPRedirection:newRequest:)")
    static let newBodyStream = EventText(fixed: "connection(_:newBodyStreamFor:)")
    static let dispositionAfter = EventText(fixed: "connection(_:dispositionAfter:)")
    static let didSend = EventText(fixed: "connection(_:didSendBodyData:…)")
    static let didReceiveResponse = EventText(fixed: "connection(_:didReceive: response)")
    static let didReceiveData = EventText(fixed: "connection(_:didReceive: data)")
    static let willStore = EventText(fixed: "connection(_:willStore:)")
    static let didFinish = EventText(fixed: "connectionDidFinishLoading(_:)")
    static let didFail = EventText(fixed: "connection(_:didFailWithError:)")
}

// Questions to the delegate whose answers may come late, and the load after the answer.

extension URLConnection {
    /// Waits for the answer of a decision.
    ///
    /// - Parameter goOn: gets it, unless the load is over or asks another question by then; nil where the
    ///   decision was released without one.
    func wait<Value>(for decision: Decision<Value>, whenLate goOn: @escaping (Value?) -> Void) {
        guard !isOver, let transport = readyTransport() else { return }
        let number = nextQuestion()
        watchDeadline()
        // The open decision holds the connection.
        decision.whenAnswered(on: transport.crossThreadJobs) { answer in
            self.answered(number) { goOn(answer) }
        }
    }

    /// The answer that is there already; one that is not is waited for.
    ///
    /// - Returns: nil where it comes late, and then `goOn` gets it.
    @inline(__always)
    func answered<Value>(
        _ answer: Answer<Value>, whenLate goOn: @escaping (Value?) -> Void
    ) -> Value? {
        switch answer {
        case .now(let value):
            return value
        case .later(let decision):
            wait(for: decision, whenLate: goOn)
            return nil
        }
    }

    func answered(_ number: Int, _ goOn: @escaping () -> Void) {
        guard question == number else { return }
        guard takes(.step) else { return hold { self.answered(number, goOn) } }
        question = nil
        goOn()
    }

    /// Makes a function for other threads that passes its value to a block on this thread, in the connection's modes.
    ///
    /// - Returns: nil where the load is over or has no transport.
    func fromElsewhere<Value: Sendable>(
        _ goOn: @escaping (Value) -> Void
    ) -> (@Sendable (Value) -> Void)? {
        guard let jobs = readyTransport()?.crossThreadJobs else { return nil }
        let goOn = Locked(goOn)
        // Copied out of the lock, since it calls the delegate.
        return { value in jobs.perform { _ in goOn.withLock { $0 }(value) } }
    }

    /// The number of a question that is asked now.
    func nextQuestion() -> Int {
        questions += 1
        question = questions
        return questions
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
        if question != nil {
            // The response is whole; only the answer about the cache is missing.
            if caching.isOffered { succeed() } else { failForTime() }
        } else if !takes(.step) {
            failForTime()
        }
    }

    /// Whether the limit for the whole load has passed.
    var isPastDeadline: Bool {
        deadline.map { configuration.clock.nanoseconds >= $0 } ?? false
    }

    /// The load took longer than it may in all.
    func failForTime() {
        failAtOnce(
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
        guard let made = response.httpURLResponse else { return .fail(noResponse) }
        let answer = answered(proposed(proposal, after: made)) { answer in
            self.follow(
                answer.map { self.step(redirectedTo: $0) }
                    ?? .fail(self.neverAnswered("a redirect")),
                response)
        }
        guard let answer, !isOver else { return .wait }
        return step(redirectedTo: answer)
    }

    func proposed(
        _ proposal: URLRequest, after response: HTTPURLResponse
    ) -> Answer<URLRequest?> {
        let answer = callDelegate(.willRedirect) {
            $0.connection(self, willPerformHTTPRedirection: response, newRequest: proposal)
        }
        return answer?.settled ?? .now(proposal)
    }

    private func step(redirectedTo next: URLRequest?) -> LoadStep {
        guard let next else { return .goOn }
        redirectCount += 1
        measurement.metrics.redirectCount = redirectCount
        declined = nil
        return .send(next)
    }

    // MARK: The response

    func shown(_ response: URLResponse) -> Answer<ResponseDisposition> {
        let answer = callDelegate(.dispositionAfter) {
            $0.connection(self, dispositionAfter: response)
        }
        return answer?.settled ?? .now(.allow)
    }

    /// Shows a response that libcurl does not bring, and goes on where the delegate wants its body.
    func show(_ response: URLResponse, then goOn: @escaping (_ isLate: Bool) -> Void) {
        let take = { (answer: ResponseDisposition?, isLate: Bool) in
            guard !self.isOver else { return }
            if let refusal = self.refusal(answer) { return self.fail(refusal) }
            self.noteActivity()
            goOn(isLate)
        }
        if let answer = answered(shown(response), whenLate: { take($0, true) }) {
            take(answer, false)
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
    /// - Returns: the stream, or nil as the answer; no answer where it will come late, and then `goOn` gets it.
    func newBodyStream(whenLate goOn: @escaping (InputStream?) -> Void) -> InputStream?? {
        let answer = callDelegate(.newBodyStream) {
            $0.connection(self, newBodyStreamFor: currentRequest)
        }
        return answered(answer?.settled ?? .now(nil)) { goOn($0 ?? nil) }
    }

    /// Prepares the request anew after a late answer.
    func sendAnew(with stream: InputStream?, orElse end: () -> Void) {
        guard let stream else { return end() }
        exchangeBody(for: body.replaced(with: stream))
        load(currentRequest)
    }

    var noNewBody: URLError {
        URLError(
            .requestBodyStreamExhausted, url: currentRequest.url,
            text: "The body must be sent again, and its stream can be read only once; use data or "
                + "a file, or give a new stream when asked.")
    }

    // MARK: The cache

    /// What the delegate lets the cache store; nil as the answer stores nothing.
    ///
    /// - Returns: no answer where it will come late, and then the load ends after it.
    func storable(
        _ cached: CachedURLResponse, in recording: CacheRecording
    ) -> CachedURLResponse?? {
        let answer = callDelegate(.willStore) { $0.connection(self, willStore: cached) }
        let settled = answer?.settled ?? .now(cached)
        if case .later = settled { caching.isOffered = true }
        return answered(settled) {
            recording.finish(cached, as: $0 ?? nil)
            self.succeed()
        }
    }
}

// Challenges to the delegate, and what follows its answers, which may come late.

extension URLConnection {
    /// What a challenge is about.
    enum Question {
        case trust(ServerTrust)
        /// A server at this origin requests a client certificate.
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
        _ = callDelegate(.challenge) { $0.connection(self, willSendRequestFor: challenge) }
        guard !isOver else { return .cancel }
        // What the answer leads to may be another challenge.
        if takes(.step), let answer = decision.takeEarly() { return answer }
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
            follow(authentication.answered(answer, in: self), response)
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
            callDelegate(.shouldUseStorage) { $0.connectionShouldUseCredentialStorage(self) }
            ?? true
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
        guard takes(.step) else { return hold { self.goOn(step, after: error) } }
        take(asked(step, .tunnel(error))) { fail(error) }
    }
}
