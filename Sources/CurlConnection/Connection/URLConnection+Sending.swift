import Foundation
import FoundationNetworking
import HTTPSemantics

// A request on its way: the cache is asked, a transport chosen, a transfer made and started.

extension URLConnection {
    /// Loads a request from the cache, or sends it. A thread that is about to end loads nothing more.
    func load(_ request: URLRequest) {
        guard !isOver, transport?.isClosed != true else { return finish() }
        guard !suspension.isOn else { return hold { self.load(request) } }
        measurement.turnsToNext()
        let wire = CookieHandling(configuration).adding(to: request)
        let url: URL
        do {
            url = try RequestValidation.check(wire)
        } catch {
            return fail(error)
        }
        let step = caching.ask(
            configuration.responseCache, at: configuration.clock, for: wire,
            trusting: trustRequirements, over: route(for: url))
        take(step) { send(wire, to: url) }
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
    private func send(_ wire: URLRequest, to url: URL) {
        switch body.supply(for: wire) {
        case .body(let body):
            send(wire, to: url, body)
        case .spent(let rest):
            guard let answer = newBodyStream(), !isOver else { return }
            guard let stream = answer ?? rest else { return failWithoutBody() }
            send(wire, to: url, body.replace(with: stream, for: wire))
        }
    }

    private func send(_ wire: URLRequest, to url: URL, _ body: RequestBody?) {
        do throws(URLError) {
            let request = try transferRequest(wire, url: url, body: body)
            var key = plainKey
            (key.proxy, key.clientIdentity) = (request.proxy, request.clientIdentity)
            key.route = request.options.route
            let transport = try suitableTransport(for: key)
            let transfer = Transfer(request, on: transport, delegate: self)
            transfer.measured.times.fetchStart = measurement.fetchStart
            self.transfer = transfer
            phase = .transferring
            caching.willSend()
            transfer.start()
            // A question for this request may have been answered by suspending.
            if suspension.isOn { transfer.suspend() }
        } catch {
            fail(error)
        }
    }

    /// The transport in use; before there is one, that for the requirements. Nil where none can be made,
    /// and then the connection has failed.
    func readyTransport() -> RunLoopTransport? {
        if let transport { return transport }
        do {
            return try suitableTransport(for: plainKey)
        } catch {
            fail(error)
            return nil
        }
    }

    /// Of a transport that needs no proxy and no certificate.
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
        _ wire: URLRequest, url: URL, body: RequestBody?
    ) throws(URLError) -> TransferRequest {
        let proxy = usesUnixDomainSocket(for: url) ? nil : try proxy(for: url)
        authentication.willSend(to: url, through: proxy)
        let carriedOut = authentication.transport(for: .origin)
        let bareURL = Self.forTheWire(url)
        var transfer = TransferRequest(
            url: bareURL ?? url, method: wire.httpMethod ?? "GET",
            fields: fields(of: wire, isLoginCarriedOut: carriedOut != nil),
            body: body, idleLimit: wire.timeoutInterval)
        transfer.proxy = proxy
        transfer.options = try connectionOptions(for: url)
        transfer.authentication = carriedOut
        transfer.proxyAuthentication = authentication.transport(for: .proxy)
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
