import Foundation
import FoundationNetworking
import HTTPSemantics
import Scheduling

// A request on its way: the cache is asked, a transport chosen, a transfer made and started.

extension URLConnection {
    /// Loads a request from the cache, or sends it. A thread that is about to end loads nothing more.
    func load(_ request: URLRequest) {
        guard !isOver, transport?.isClosed != true else { return finish() }
        guard takes(.step) else { return hold { self.load(request) } }
        guard !isOffered(request), apply(.prepare) else { return }
        measurement.turnsToNext()
        let wire =
            configuration.cookieStorage?.addingCookies(to: request, at: configuration.clock)
            ?? request
        let checked: CheckedRequest
        do {
            checked = try check(wire)
        } catch {
            return fail(error)
        }
        let url = checked.url
        let reading = caching.begin(
            configuration.decodesContent ? configuration.responseCache : nil,
            at: configuration.clock, for: wire,
            trusting: trustRequirements, over: route(for: url), through: forwardingProxy(for: url))
        guard let reading else { return askCache(wire, checked) }
        wait(for: WorkerQueue(.files), "The stored response", reading) {
            self.askCache(wire, checked, having: $0)
        }
    }

    private func askCache(
        _ wire: URLRequest, _ checked: CheckedRequest, having read: ReadBody? = nil
    ) {
        let step = caching.ask(having: read)
        take(step) { readSystemFiles(for: checked.url) { self.send(wire, checked) } }
    }

    /// Carries out a step while no exchange is under way.
    func take(_ step: LoadStep, orGoOn goOn: () -> Void) {
        switch step {
        case .goOn: goOn()
        case .send(let request):
            currentRequest = request
            load(request)
        case .sendAgain(let seconds): sendAgain(after: seconds)
        case .serve(let stored): serve(stored)
        case .fail(let error): fail(error)
        case .ask, .wait: break
        }
    }

    /// - Parameter wire: the current request with its cookies.
    private func send(_ wire: URLRequest, _ checked: CheckedRequest) {
        // A copy, because the caller's stream may cancel the load when it is called.
        let source = body
        switch source.supply(for: wire) {
        case .body(let body):
            send(wire, checked, body)
        case .spent(let rest):
            let answer = newBodyStream {
                self.sendAnew(with: $0 ?? rest) { self.failWithoutBody() }
            }
            guard let answer, !isOver else { return }
            guard let stream = answer ?? rest else { return failWithoutBody() }
            send(wire, checked, BodySource.body(of: stream, for: wire))
        }
    }

    private func send(_ wire: URLRequest, _ checked: CheckedRequest, _ body: RequestBody?) {
        // A caller's stream may have cancelled it.
        if isOver { return }
        exchangeBody(for: BodySource(body, for: wire))
        do throws(URLError) {
            let request = try transferRequest(wire, checked, body)
            var key = plainKey
            (key.proxy, key.clientIdentity) = (request.proxy, request.clientIdentity)
            key.route = request.options.route
            let transport = try suitableTransport(for: key)
            let transfer = Transfer(request, on: transport, of: self)
            transfer.measured.times.fetchStart = measurement.fetchStart
            self.transfer = transfer
            caching.willSend()
            transfer.start()
        } catch {
            fail(error)
        }
    }

    /// Replaces the source of the body.
    ///
    /// - Returns: the one before, which the caller releases: a stream's `deinit` may cancel the load, which must not
    ///   happen within the access.
    @discardableResult
    func exchangeBody(for source: BodySource) -> BodySource {
        let old = body
        body = source
        return old
    }

    /// The transport in use; before there is one, that for the requirements. Nil where none can be made,
    /// and then the connection fails, suspended or not, from the run loop.
    func readyTransport() -> RunLoopTransport? {
        guard !isOver else { return nil }
        if let transport { return transport }
        do {
            return try suitableTransport(for: plainKey)
        } catch {
            later { self.failAtOnce(error) }
            return nil
        }
    }

    /// The key of a transport without a proxy and without a client certificate.
    var plainKey: TransportKey {
        TransportKey(modes: modes, requirements: trustRequirements, clock: configuration.clock)
    }

    /// The transport in use, where the key is the same; else another of this thread.
    func suitableTransport(for key: TransportKey) throws(URLError) -> RunLoopTransport {
        if let transport, transport.key == key { return transport }
        let other = try TransportTable.transport(for: key)
        if let pass { other.pass = pass }
        transport = other
        // Equal sets that are one object are compared faster.
        modes = other.key.modes
        return other
    }

    private func transferRequest(
        _ wire: URLRequest, _ checked: CheckedRequest, _ body: RequestBody?
    ) throws(URLError) -> TransferRequest {
        let (url, method) = (checked.url, checked.method)
        let proxy = usesUnixDomainSocket(for: url) ? nil : try proxy(for: url)
        authentication.willSend(to: url, through: proxy)
        let carriedOut = authentication.transport(for: .origin)
        let bareURL = try Self.forTheWire(url)
        let sentURL = bareURL ?? url
        let authorization = authentication.authorization(for: .origin, method: method)
        var transfer = TransferRequest(
            url: sentURL, origin: TransportTable.origin(of: sentURL), method: method,
            fields: fields(
                checked.fields, authorization: authorization,
                isLoginCarriedOut: carriedOut != nil),
            body: body, idleLimit: wire.timeoutInterval)
        transfer.proxy = proxy
        transfer.options = try connectionOptions(for: url)
        transfer.authentication = carriedOut
        transfer.proxyAuthentication = authentication.transport(for: .proxy)
        transfer.proxyAuthorization = authentication.authorization(for: .proxy, method: method)
        transfer.clientIdentity = trustDecisions.clientIdentity(
            for: url, preset: configuration.clientCertificate, of: originalRequest.url)
        transfer.isResponseStreamed = isResponseStreamed
        transfer.limits = configuration.limits
        transfer.connectionLimits = ConnectionLimits(
            perHost: configuration.httpMaximumConnectionsPerHost,
            total: configuration.maximumConnections, owner: limitOwner, priority: priority)
        transfer.deadline = deadline
        if bareURL == nil { transfer.name = name }
        return transfer
    }
}

// What a load needs of the disk before it is sent: a thread for files reads it, and the load waits.

extension URLConnection {
    // All loads share these: the first load has the files read, and the others use the result.
    private static let suffixesQueue = WorkerQueue(.files)
    private static let anchorsQueue = WorkerQueue(.files)

    /// Goes on once what the system has of public suffixes and certificates is read, as far as the exchange may
    /// need it.
    private func readSystemFiles(for url: URL, then goOn: @escaping () -> Void) {
        let isSecure = url.scheme?.lowercased() == "https"
        if isSecure || configuration.cookieStorage != nil, !PublicSuffixList.isAtHand {
            let read: @Sendable () -> Void = { PublicSuffixList.read() }
            return wait(for: Self.suffixesQueue, "The list of public suffixes", read) {
                self.readSystemFiles(for: url, then: goOn)
            }
        }
        guard isSecure, !trustRequirements.areAnchorsAtHand else { return goOn() }
        let read: @Sendable () -> Void = { [requirements = trustRequirements] in
            requirements.readAnchors()
        }
        wait(for: Self.anchorsQueue, "The system's certificates", read, then: goOn)
    }

    /// Reads from the disk, and goes on with what was read unless the load is over by then. The request's
    /// `timeoutInterval` limits the wait.
    ///
    /// - Parameters:
    ///   - queue: one of this load alone, or one of all.
    ///   - what: what is read, at the beginning of a sentence.
    func wait<Value: Sendable>(
        for queue: WorkerQueue, _ what: String, _ read: @escaping @Sendable () -> Value,
        then goOn: @escaping (Value) -> Void
    ) {
        let number = nextQuestion()
        let give = fromElsewhere { (value: Value) in
            self.answered(number) {
                self.diskQueue = nil
                goOn(value)
            }
        }
        guard let give else { return }
        if queue !== Self.anchorsQueue, queue !== Self.suffixesQueue { diskQueue = queue }
        watchDeadline()
        watchDisk(number, what)
        queue.perform { give(read()) }
    }

    private func watchDisk(_ number: Int, _ what: String) {
        guard let transport = readyTransport(),
            let limit = MonotonicClock.nanoseconds(currentRequest.timeoutInterval)
        else { return }
        transport.later(at: configuration.clock.nanoseconds + limit) { [weak self] in
            guard let self, self.question == number else { return }
            guard self.takes(.step) else { return self.watchDisk(number, what) }
            self.fail(
                URLError(
                    .timedOut, url: self.currentRequest.url,
                    text: "\(what) could not be read for the timeoutInterval."))
        }
    }
}
