import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics

/// One exchange: a request out, a response in. Turns libcurl's calls into its delegate's.
///
/// `TransferState` says what may happen when; `apply` alone changes the state.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none. Calls out on: that thread. A delegate may cancel
/// from inside any call; nothing follows.
final class Transfer: CurlExchange {
    // MARK: Set once

    let request: TransferRequest
    unowned let transport: RunLoopTransport

    // MARK: The transport's thread only

    private(set) var state = TransferState.idle
    /// Kept until the end, so that an exchange under way needs no other owner.
    private(set) var delegate: (any TransferDelegate)?
    /// libcurl's handle; nil while libcurl does not have the exchange.
    var easy: CurlEasyHandle?
    /// The transport's own: where the exchange stands in the line for connections.
    var ticket: ConnectionLimiter.Ticket?
    var tls = TransferTLS()
    var lookUp = LookUp()
    var body: RequestBody?
    var sent = SentCount()
    var reception: HeadReception
    var decoder: ContentDecoder?
    var discarding = DiscardLimit()
    var pauses = TransferPauses()
    var interruption: Interruption?
    /// The schemes, as libcurl's bits, by which a proxy wants a login before it makes a tunnel.
    private(set) var refusedByProxy: Int?
    private(set) var lastActivity: UInt64 = 0
    /// Unchecked, for it is used at every step, and calls nobody who comes back here.
    @exclusivity(unchecked)
    var trace: TransferTrace?

    init(
        _ request: TransferRequest, on transport: RunLoopTransport, delegate: any TransferDelegate
    ) {
        self.request = request
        self.transport = transport
        self.delegate = delegate
        body = request.body
        reception = HeadReception(limit: request.limits.head)
    }

    // MARK: The state

    /// The one place that changes the state.
    ///
    /// - Returns: whether the event means anything in this state.
    @discardableResult
    func apply(_ event: TransferState.Event, _ error: URLError? = nil) -> Bool {
        guard let move = state.move(on: event) else { return false }
        state = move.state
        carryOut(move.effect, error)
        return true
    }

    private func carryOut(_ effect: TransferState.Effect, _ error: URLError?) {
        switch effect {
        case .none: break
        case .enqueue: transport.add(self)
        case .enqueueAgain: transport.addAgain(self)
        case .lookUp: beginLookUp()
        case .resume: resumeReceiving()
        case .resumeToDiscard:
            discarding.begin()
            transport.scheduleTimeoutCheck(before: discarding.deadline)
            resumeReceiving()
        case .drainSoon: transport.later { [self] in drain() }
        case .drain: drain()
        case .succeed: tellEnd(nil)
        case .fail: tellEnd(error)
        case .failInsideHead:
            tellEnd(
                URLError(
                    .networkConnectionLost, url: request.url,
                    text: "The connection ended inside the response's head."))
        case .leave:
            letGo()
            transport.remove(self)
        case .letGo: letGo()
        }
    }

    private func tellEnd(_ error: URLError?) {
        let delegate = delegate
        if let error { trace?.fail(with: error) }
        letGo()
        transport.remove(self)
        delegate?.transfer(self, didEndWith: error)
    }

    private func letGo() {
        delegate = nil
        lookUp.ticket?.cancel()
        lookUp.ticket = nil
    }

    // MARK: From above

    /// Starts, once. If that fails the delegate is told, before this returns.
    func start() {
        apply(.start)
    }

    /// Ends the exchange; no call follows, not even the one a callback is in the middle of.
    func cancel() {
        if state != .over {
            trace?.fail(with: URLError(.cancelled, url: request.url))
        }
        apply(.cancel)
    }

    /// Answers what `didReceive head` left undecided.
    func decide(_ disposition: BodyDisposition) {
        lastActivity = MonotonicClock.now
        take(disposition)
        transport.scheduleTimeoutCheck(before: nextTimeoutCheck)
    }

    func take(_ disposition: BodyDisposition) {
        switch disposition {
        case .deliver: apply(.deliver)
        case .discard: apply(.discard)
        case .undecided: break
        }
    }

    // MARK: From the transport

    /// Gives up libcurl's handle, which must outlive its removal.
    func detach() -> CurlEasyHandle? {
        trace?.end(self)
        trace = nil
        defer { easy = nil }
        return easy
    }

    func noteActivity(at now: UInt64) {
        lastActivity = now
    }

    /// Whether there is still something to ask the server.
    func mayBegin() -> Bool {
        delegate?.transferMayBegin(self) ?? false
    }

    /// The exchange could not be handed to libcurl.
    func couldNotBegin(_ error: any Error) {
        apply(
            .abort,
            error as? URLError
                ?? URLError(.unknown, url: request.url, underlying: error))
    }

    /// The kernel does not watch the sockets of the transport any more.
    func couldNotWatch(_ error: URLError) {
        guard state.isWithLibcurl else { return }
        var info = error.userInfo
        info[NSURLErrorFailingURLErrorKey] = request.url
        apply(.abort, URLError(error.code, described: info))
    }

    // MARK: From libcurl

    override func mayLookUp() -> Bool { isLookUpLibcurls() }

    override func mayRequest(remoteAddress: String, remotePort: Int32, localPort: Int32) -> Bool {
        mayRequest(
            on: ConnectionEnds(
                localPort: localPort, remotePort: remotePort, remoteAddress: remoteAddress))
    }

    override func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool { takeLine(line) }
    override func receive(_ bytes: UnsafeRawBufferPointer) -> CurlReception { takeBody(bytes) }
    override func read(into buffer: UnsafeMutableRawBufferPointer) -> CurlSupply {
        supplyBody(buffer)
    }
    override func seek(to offset: Int64) -> Bool { rewindBody(to: offset) }
    override func setUp(tls context: OpaquePointer) -> Bool { prepareTLS(context) }

    override func ended(with result: CurlCode) {
        guard state.isWithLibcurl else { return }
        switch interruption {
        case .newConnection: if apply(.startAgain) { return }
        case .lookUp: if apply(.lookUp) { return }
        case .failure, nil: break
        }
        if result == .couldntConnect, !lookUp.entries.isEmpty { forgetAddresses() }
        reportSent()
        guard state.isWithLibcurl else { return }
        showHeldHead()
        guard state.isWithLibcurl else { return }
        if let error = failure ?? (result == .ok ? nil : urlError(for: result)) {
            apply(.fail, error)
        } else {
            apply(.complete)
        }
    }

    // MARK: The end

    /// An error found here.
    var failure: URLError? {
        if case .failure(let error) = interruption { return error }
        return nil
    }

    private func urlError(for result: CurlCode) -> URLError {
        let reason = easy?.error(for: result) ?? CurlError(result)
        if let proxy = request.proxy, let easy {
            let facts = easy.proxyFacts(result, hasSent: sent.requests > 0)
            if let failure = ProxyFailure(of: proxy, facts) {
                refusedByProxy = failure.wantsLogin ? easy.schemesOfProxy : nil
                return URLError(
                    failure.code, url: request.url, text: failure.text, underlying: reason)
            }
        }
        return HeadRules.error(for: result, reason, url: request.url)
            ?? URLError(
                TransferError.code(for: reason), url: request.url, text: reason.message,
                underlying: reason)
    }

    /// Ends once the delegate has every byte, and the body turns out whole.
    private func drain() {
        guard state == .draining, !isConsumerBehind() else { return }
        do {
            guard try deliverDecoded() else { return }
            try decoder?.finish()
        } catch let fault {
            apply(.fail, fault.urlError(request.url))
            return
        }
        apply(.drain)
    }

    // MARK: Pauses

    /// Asks again after a while, sooner when the consumer took some.
    func pollSoon(_ waiting: Int = 0) {
        if pauses.polling.again(waiting: waiting) {
            lastActivity = transport.now
        }
        transport.scheduleTimeoutCheck(before: pauses.polling.next)
    }

    func continueIfPossible() {
        switch state {
        case .over: return
        case .draining: return drain()
        case .delivering:
            guard !isConsumerBehind() else {
                if state.isWithLibcurl, pauses.isSending {
                    transport.unpause(self, receiving: false)
                }
                return
            }
            do {
                guard try deliverDecoded() else { return }
            } catch {
                apply(.fail, error.urlError(request.url))
                return
            }
        default: break
        }
        pauses.isReceiving = false
        transport.unpause(self, receiving: true)
    }

    private func resumeReceiving() {
        guard pauses.isReceiving else { return }
        pauses.isReceiving = false
        transport.unpause(self, receiving: true)
    }

    func didMove() {
        lastActivity = transport.now
        pauses.polling.restart()
    }
}

/// Why a callback had libcurl end the exchange, which counts more than the code libcurl makes of it.
enum Interruption {
    /// The kept connection had something in it: the request goes out on a new one.
    case newConnection
    /// A name must be looked up first.
    case lookUp
    case failure(URLError)
}
