public import Foundation
public import FoundationNetworking

/// Loads one request and tells its delegate, as NSURLConnection did: asks, follows, answers.
///
/// It keeps itself and its delegate alive from `start` to its last call. http and https only.
///
/// ## Concurrency
/// Call from: one thread, that of the run loop it is scheduled in. Lock: none. Calls out on: that
/// thread, in the scheduled modes, never inside `start`. Reentrant: a delegate may cancel.
public final class URLConnection {
    private enum Phase {
        case idle, starting, transferring
        /// The delegate was asked for a credential and has not answered.
        case challenged
        case over
    }

    // MARK: Set once

    /// The request as it was given.
    public let originalRequest: URLRequest

    // MARK: The run loop's thread only

    /// The request as it was last sent, after the delegate's changes and redirects.
    public private(set) var currentRequest: URLRequest
    /// Seconds the whole load may take, redirects included, even while bytes move; nil: no limit.
    ///
    /// Set it before `start`. `URLRequest.timeoutInterval` is another thing: it limits idleness.
    public var timeoutIntervalForResource: TimeInterval?

    package var trustRequirements = ServerTrustRequirements()

    private var delegate: (any URLConnectionDelegate)?
    private var runLoop: RunLoop?
    private var modes: Set<RunLoop.Mode> = []
    private var phase = Phase.idle
    private var transport: RunLoopTransport?
    private var transfer: Transfer?
    private var body: RequestBody?
    private var bodyStream: InputStream?
    private var deadline: UInt64?
    private var redirectCount = 0
    private var challengeCount = 0
    /// What answers the challenge of the current URL; it goes on the wire, not into the request.
    private var authorization: String?
    /// The response a challenge holds back, shown if it is not answered with a credential.
    private var heldResponse: HTTPURLResponse?
    /// What to send when the exchange under way has ended.
    private var nextRequest: URLRequest?

    /// Makes a connection for a request.
    ///
    /// - Parameters:
    ///   - delegate: kept from the start to its last call.
    ///   - startImmediately: schedules in this thread's run loop, default mode, and starts.
    public init(
        request: URLRequest, delegate: (any URLConnectionDelegate)?, startImmediately: Bool = true
    ) {
        originalRequest = request
        currentRequest = request
        self.delegate = delegate
        if startImmediately {
            start()
        }
    }

    /// Adds a mode in which the connection makes progress; before `start`, which reads them once.
    public func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        precondition(
            self.runLoop == nil || self.runLoop === runLoop,
            "A URLConnection can be scheduled in one run loop.")
        self.runLoop = runLoop
        modes.insert(mode)
    }

    /// Takes a mode away again; before `start`.
    public func unschedule(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        modes.remove(mode)
    }

    /// Starts loading; the first call to the delegate comes from the run loop, not from here.
    ///
    /// Without `schedule` it runs in the current run loop's default mode. A second call does
    /// nothing. Not reentrant.
    public func start() {
        guard case .idle = phase else { return }
        precondition(
            runLoop == nil || runLoop === RunLoop.current,
            "A URLConnection starts on the thread of the run loop it is scheduled in.")
        phase = .starting
        let modes = modes.isEmpty ? [RunLoop.Mode.default] : modes
        deadline = timeoutIntervalForResource.flatMap(MonotonicClock.nanoseconds).map {
            MonotonicClock.now + $0
        }
        do {
            let transport = try TransportTable.transport(
                modes: modes, requirements: trustRequirements)
            self.transport = transport
            transport.later { self.begin() }
        } catch {
            let failure = OnOwnThread<Void> { self.fail(error) }
            RunLoop.current.perform(inModes: Array(modes)) { failure.run(()) }
        }
    }

    /// Stops loading; the delegate hears nothing more. Reentrant.
    public func cancel() {
        transfer?.cancel()
        finish()
    }

    // MARK: Loading

    private func begin() {
        guard case .starting = phase else { return }
        do {
            _ = try RequestValidation.check(currentRequest)
        } catch {
            return fail(error)
        }
        let request =
            delegate.map { $0.connection(self, willSend: currentRequest, redirectResponse: nil) }
            ?? currentRequest
        guard case .starting = phase else { return }
        guard let request else {
            return fail(TransferError.error(.cancelled, url: currentRequest.url))
        }
        currentRequest = request
        load(request)
    }

    private func load(_ request: URLRequest) {
        guard let transport else { return }
        guard !transport.isClosed else { return finish() }
        do {
            let url = try RequestValidation.check(request)
            let body = try makeBody(for: request)
            guard !isOver else { return }
            self.body = body
            let transfer = Transfer(
                transferRequest(request, url: url, body: body), on: transport, delegate: self)
            self.transfer = transfer
            phase = .transferring
            try transfer.start()
        } catch let error as URLError {
            fail(error)
        } catch {
            fail(TransferError.error(.unknown, url: request.url, underlying: error))
        }
    }

    private func transferRequest(
        _ request: URLRequest, url: URL, body: RequestBody?
    ) -> TransferRequest {
        var fields = request.allHTTPHeaderFields ?? [:]
        if let authorization {
            fields = fields.filter { $0.key.lowercased() != "authorization" }
            fields["Authorization"] = authorization
        }
        var transfer = TransferRequest(
            url: Self.withoutFragment(url), method: request.httpMethod ?? "GET",
            fields: fields.sorted { $0.key < $1.key }.filter {
                $0.key.lowercased() != "content-length"
            }.map { ($0.key, $0.value) },
            body: body, idleLimit: request.timeoutInterval)
        // A part of an encoded answer cannot be decoded by itself, so none is asked for.
        transfer.isDecoded = request.value(forHTTPHeaderField: "Range") == nil
        if !transfer.isDecoded, request.value(forHTTPHeaderField: "Accept-Encoding") == nil {
            transfer.fields.append(("Accept-Encoding", "identity"))
        }
        transfer.deadline = deadline
        return transfer
    }

    private static func withoutFragment(_ url: URL) -> URL {
        guard url.fragment != nil,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return url }
        parts.percentEncodedFragment = nil
        return parts.url ?? url
    }

    /// The body for one sending: made the first time, rewound or replaced afterwards.
    private func makeBody(for request: URLRequest) throws(URLError) -> RequestBody? {
        if let stream = request.httpBodyStream {
            if stream === bodyStream, let body {
                if body.rewind() { return body }
                guard let replacement = newBody(for: request) else {
                    throw TransferError.error(
                        .requestBodyStreamExhausted, url: request.url,
                        text: "The body must be sent again, and its stream can be read only once.")
                }
                return replacement
            }
            bodyStream = stream
            if stream.streamStatus == .closed || stream.streamStatus == .atEnd,
                let replacement = newBody(for: request)
            {
                return replacement
            }
            return RequestBody(stream, length: declaredLength(of: request))
        }
        if let data = request.httpBody {
            return RequestBody(data)
        }
        return ["POST", "PUT", "PATCH"].contains(request.httpMethod) ? RequestBody(Data()) : nil
    }

    private func newBody(for request: URLRequest) -> RequestBody? {
        guard let stream = delegate?.connection(self, needNewBodyStream: request) else {
            return nil
        }
        return RequestBody(stream, length: declaredLength(of: request))
    }

    private func declaredLength(of request: URLRequest) -> Int64? {
        request.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }.flatMap {
            $0 < 0 ? nil : $0
        }
    }

    // MARK: Ending

    private var isOver: Bool {
        if case .over = phase { return true }
        return false
    }

    private func fail(_ error: URLError) {
        guard !isOver else { return }
        transfer?.cancel()
        let delegate = delegate
        finish()
        delegate?.connection(self, didFailWithError: error)
    }

    /// Fails from inside a callback of the transfer: the delegate hears of it once that is over.
    private func failSoon(_ error: URLError) {
        transfer?.cancel()
        transport?.later { self.fail(error) }
    }

    private func finish() {
        phase = .over
        delegate = nil
        transfer = nil
        transport = nil
        heldResponse = nil
        nextRequest = nil
        body?.close()
        body = nil
        bodyStream = nil
    }
}

// MARK: - The transfer's calls

extension URLConnection: TransferDelegate {
    func transferMaySendRequest(_ transfer: Transfer) -> Bool {
        guard transfer.request.isSecure else { return !isOver }
        let trust = transfer.peerTrust
        let refusal = refusal(of: trust, port: transfer.request.url.port ?? 443)
        guard !isOver else { return false }
        if let refusal {
            failSoon(refusal)
        }
        return refusal == nil
    }

    func transfer(
        _ transfer: Transfer, didReceive head: ResponseHead
    ) -> BodyDisposition {
        let url = currentRequest.url ?? transfer.request.url
        guard let response = head.response(for: url, isDecoded: transfer.request.isDecoded) else {
            failSoon(TransferError.error(.badServerResponse, url: url))
            return .discard
        }
        do {
            if let proposal = try Redirection.next(
                after: currentRequest, status: head.statusCode,
                location: head.value(of: "Location"), count: redirectCount)
            {
                let next =
                    delegate.map {
                        $0.connection(self, willSend: proposal, redirectResponse: response)
                    } ?? proposal
                guard !isOver else { return .discard }
                if let next {
                    redirectCount += 1
                    nextRequest = next
                    return .discard
                }
                return deliver(response)
            }
        } catch {
            failSoon(error)
            return .discard
        }
        if let space = AuthenticationExchange.protectionSpace(for: head, url: url) {
            return challenge(space, response)
        }
        return deliver(response)
    }

    func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) {
        delegate?.connection(self, didReceive: Data(bytes))
    }

    func transferBytesNotConsumed(_ transfer: Transfer) -> Int {
        delegate?.connectionBytesNotConsumed(self) ?? 0
    }

    func transfer(
        _ transfer: Transfer, didSend bytes: Int64, total: Int64, expected: Int64
    ) {
        delegate?.connection(
            self, didSendBodyData: bytes, totalBytesWritten: total,
            totalBytesExpectedToWrite: expected)
    }

    func transferNeedsNewBody(_ transfer: Transfer) -> RequestBody? {
        newBody(for: currentRequest)
    }

    func transfer(_ transfer: Transfer, didEndWith error: URLError?) {
        guard !isOver else { return }
        if let next = nextRequest {
            nextRequest = nil
            if next.url != currentRequest.url || next.httpMethod != currentRequest.httpMethod {
                challengeCount = 0
                authorization = nil
            }
            currentRequest = next
            load(next)
            return
        }
        if let error { return fail(error) }
        let delegate = delegate
        finish()
        delegate?.connectionDidFinishLoading(self)
    }

    private func deliver(_ response: URLResponse) -> BodyDisposition {
        delegate?.connection(self, didReceive: response)
        return .deliver
    }

    // MARK: Challenges

    /// Asks the delegate whether to talk to a server; what it leaves open the requirements decide.
    ///
    /// The answer must be given during the call, since libcurl waits for it.
    ///
    /// - Returns: nil when the server is accepted.
    private func refusal(of trust: ServerTrust, port: Int) -> URLError? {
        guard !trust.certificates.isEmpty, let delegate else {
            return trustRequirements.refusal(of: trust, url: currentRequest.url)
        }
        let question = TrustQuestion()
        delegate.connection(
            self,
            willSendRequestFor: URLAuthenticationChallenge(
                protectionSpace: PeerTrustSpace(trust, port: port), proposedCredential: nil,
                previousFailureCount: 0, failureResponse: nil, error: nil, sender: question))
        switch question.close(for: trust) {
        case .accept: return nil
        case .judge: return trustRequirements.refusal(of: trust, url: currentRequest.url)
        case .refuse(let text):
            return trustRequirements.refusal(of: trust, url: currentRequest.url, saying: text)
        }
    }

    private func challenge(
        _ space: URLProtectionSpace, _ response: HTTPURLResponse
    ) -> BodyDisposition {
        guard let delegate, let transport else { return .discard }
        let own = OnOwnThread<ChallengeAnswer> { [weak self] in self?.answered($0) }
        let sender = ChallengeSender(mailbox: transport.mailbox) { own.run($0) }
        let challenge = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil,
            previousFailureCount: challengeCount, failureResponse: response, error: nil,
            sender: sender)
        delegate.connection(self, willSendRequestFor: challenge)
        guard !isOver else { return .discard }
        guard let answer = sender.answerOfTheQuestion() else {
            phase = .challenged
            heldResponse = response
            return .undecided
        }
        return disposition(for: answer, response)
    }

    private func answered(_ answer: ChallengeAnswer) {
        guard case .challenged = phase, let response = heldResponse else { return }
        phase = .transferring
        heldResponse = nil
        let disposition = disposition(for: answer, response)
        guard !isOver else { return }
        transfer?.decide(disposition)
    }

    private func disposition(
        for answer: ChallengeAnswer, _ response: HTTPURLResponse
    ) -> BodyDisposition {
        switch answer {
        case .use(let credential):
            challengeCount += 1
            authorization = AuthenticationExchange.authorization(credential)
            nextRequest = currentRequest
            return .discard
        case .continueWithoutCredential:
            return deliver(response)
        case .cancel:
            failSoon(
                TransferError.error(.userCancelledAuthentication, url: currentRequest.url))
            return .discard
        }
    }
}
