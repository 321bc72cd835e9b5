import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics

/// One exchange of a load, that is, a request and its response. It turns libcurl's calls into calls of the
/// `URLConnection`.
///
/// `Load` says what may happen when. The load is in one of its states; a transfer that is over, or was dropped, has
/// no load any more.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none. Calls out on: that thread. The load may cancel from
/// inside any call; nothing follows.
final class Transfer: CurlExchange {
    // MARK: Set once

    let request: TransferRequest
    unowned let transport: RunLoopTransport

    // MARK: The transport's thread only

    // Unchecked for speed, because libcurl calls for each line of a head: no method of theirs that changes them
    // calls out.

    /// Until the end, so that an exchange under way holds its load.
    @exclusivity(unchecked) private(set) var load: URLConnection?
    /// libcurl's handle; nil while libcurl does not have the exchange.
    @exclusivity(unchecked) var easy: CurlEasyHandle?
    /// The transport's: the exchange's slot among its connections, or its wait for one.
    @exclusivity(unchecked) var slot: ConnectionLimiter.Slot?
    /// The transport's (`DueTransfers`).
    @exclusivity(unchecked) var dueIndex: Int?
    @exclusivity(unchecked) var tls = TransferTLS()
    @exclusivity(unchecked) var lookUp = LookUp()
    @exclusivity(unchecked) var body: RequestBody?
    @exclusivity(unchecked) var sent = SentCount()
    @exclusivity(unchecked) var reception: HeadReception
    @exclusivity(unchecked) var decoder: ContentDecoder?
    /// Whether the decoder may have more of what was received.
    @exclusivity(unchecked) var isDecoding = false
    @exclusivity(unchecked) var discarding = DiscardLimit()
    @exclusivity(unchecked) var pauses = TransferPauses()
    @exclusivity(unchecked) var interruption: Interruption?
    /// How libcurl ended it while the load was suspended.
    @exclusivity(unchecked) var keptResult: TransferResult?
    /// How often more it may begin anew where no socket could be opened; others may take a descriptor that becomes free.
    @exclusivity(unchecked) var triesForDescriptor: UInt8 = 4
    /// From the connect to a proxy on, until it has made a tunnel.
    @exclusivity(unchecked) var tunnel: TunnelReply?
    /// Since when there is to be a connection, by the clock of limits, where there is a limit for that.
    @exclusivity(unchecked) var connectingSince: UInt64?
    /// What limits for the rate have libcurl wait for.
    @exclusivity(unchecked) var receivePace = RatePace()
    @exclusivity(unchecked) var sendPace = RatePace()
    /// An object by itself, because it outlives the transfer, and malloc is slower for larger objects than this one.
    @exclusivity(unchecked) var measured: MeasuredExchange
    @exclusivity(unchecked) var trace: TransferTrace?

    init(_ request: TransferRequest, on transport: RunLoopTransport, of load: URLConnection) {
        self.transport = transport
        self.load = load
        measured = MeasuredExchange(isDecoded: request.isDecoded, isProxy: request.hasProxy)
        body = request.body
        reception = HeadReception(limit: request.limits.head)
        // Last, so that it is not copied.
        self.request = request
        continueWhenBodyIsReady()
    }

    // MARK: The state

    var state: Load { load?.state ?? .over }

    /// Changes the load's state, and carries out the effect.
    ///
    /// - Returns: whether the event means anything in this state.
    @discardableResult
    func apply(_ event: Load.Event, _ error: URLError? = nil) -> Bool {
        guard let load, let move = load.move(on: event) else { return false }
        load.state = move.state
        carryOut(move.effect, error)
        return true
    }

    private func carryOut(_ effect: Load.Effect, _ error: URLError?) {
        switch effect {
        case .none: break
        case .takeSlot: transport.add(self)
        case .takeNewSlot:
            connectingSince = nil
            pauses = TransferPauses()
            transport.remove(self)
            transport.add(self)
        case .leaveSlot:
            connectingSince = nil
            lookUp.ticket?.cancel()
            lookUp = LookUp()
            transport.leaveSlot(of: self)
        case .lookUp: beginLookUp()
        case .unpause: resumeReceiving()
        case .unpauseToDiscard:
            discarding.begin(at: transport.clock.nanoseconds)
            transport.scheduleTimeoutCheck(of: self)
            resumeReceiving()
        case .endOnceConsumedSoon: transport.later { [self] in endOnceConsumed() }
        case .endOnceConsumed: endOnceConsumed()
        case .endTransfer: end(nil)
        case .endTransferWithError: end(error)
        case .endTransferInsideHeader:
            end(
                URLError(
                    .networkConnectionLost, url: request.url,
                    text: "The connection ended inside the response's head."))
        case .removeTransfer:
            release()
            transport.remove(self)
        case .releaseTransfer:
            let load = load
            release()
            // A question that is open would keep it for good.
            load?.finish()
        }
    }

    private func end(_ error: URLError?) {
        endTimes()
        let load = load
        if let error { trace?.fail(with: error) }
        release()
        transport.remove(self)
        load?.transfer(self, didEndWith: error)
    }

    private func release() {
        load = nil
        lookUp.ticket?.cancel()
        lookUp.ticket = nil
    }

    // MARK: From above

    // Outside a drive these call libcurl, which at exit is not called any more (`CurlGlobal`).

    /// Starts, once. Where that fails, the load gets the error before this returns.
    func start() {
        CurlGlobal.whileOpen { apply(.send) }
    }

    /// Ends the exchange. The load is not called any more, also not by a callback under way.
    func cancel() {
        if state != .over {
            endTimes()
            trace?.fail(with: URLError(.cancelled, url: request.url))
        }
        CurlGlobal.whileOpen { apply(.cancelTransfer) }
    }

    /// The load has decided about the body: `deliver` or `discard`.
    func decide(_ event: Load.Event) {
        apply(event)
        guard !transport.pool.isInside else { return }
        // The answer came late, and the wait for it was no idleness.
        load?.noteActivity()
        transport.scheduleTimeoutCheck(of: self)
    }

    // MARK: From the transport

    /// Begins to record the exchange, once.
    func beginTrace(with sockets: SocketTrace) {
        guard trace == nil else { return }
        trace = TransferTrace(
            name: request.name, method: request.method, url: request.url, fields: request.fields,
            sockets)
    }

    /// Releases libcurl's handle. The caller keeps it until libcurl has removed it.
    func detach() -> CurlEasyHandle? {
        trace?.end(reception.head, request.fields, measured.times)
        trace = nil
        defer { easy = nil }
        return easy
    }

    /// libcurl could not be given the exchange.
    func couldNotBegin(_ error: any Error) {
        apply(
            .abort,
            error as? URLError
                ?? URLError(.unknown, url: request.url, underlying: error))
    }

    /// The kernel refused to watch a socket of the transport.
    func couldNotWatch(_ error: URLError) {
        guard state.isWithLibcurl else { return }
        var info = error.userInfo
        info[NSURLErrorFailingURLErrorKey] = request.url
        apply(.abort, URLError(error.code, described: info))
    }

    // MARK: From libcurl

    func ended(with result: CurlCode) {
        // Now, because afterwards other exchanges use the connection.
        ended(TransferResult(code: result, lost: result == .ok ? lostEnd : nil))
    }

    func ended(_ result: TransferResult) {
        guard state.isWithLibcurl, !keeps(result) else { return }
        switch interruption {
        case .newConnection, .suspension, .expectation: if apply(.startAgain) { return }
        case .lookUp: if apply(.lookUp) { return }
        case .failure, nil: if wasRefused(with: result.code), startsAgain() { return }
        }
        measured.times.ended(at: transport.now)
        if result.code == .couldntConnect, !lookUp.entries.isEmpty { forgetAddresses() }
        reportSent()
        guard state.isWithLibcurl, !keeps(result) else { return }
        showHeldHead()
        guard state.isWithLibcurl, !keeps(result) else { return }
        if let error = failure ?? (result.code == .ok ? result.lost : urlError(for: result.code)) {
            apply(.fail, error)
        } else {
            apply(.complete)
        }
    }

    // MARK: The end

    /// The head by which a proxy asks for a login before it makes a tunnel.
    var refusedByProxy: ResponseHead? { tunnel.flatMap { $0.wantsLogin ? $0.head : nil } }

    /// The error for which a callback ended the exchange.
    var failure: URLError? {
        if case .failure(let error) = interruption { return error }
        return nil
    }

    private func urlError(for result: CurlCode) -> URLError {
        if result == .operationTimedOut, let error = limitError { return error }
        let reason = easy?.error(for: result) ?? CurlError(result)
        if result == .couldntConnect, easy?.lacksDescriptors == true {
            return DescriptorRoom.error(for: request.url, underlying: reason)
        }
        if let connection = easy?.connection, transport.descriptors.wasCut(connection) {
            return URLError(
                .badServerResponse, url: request.url,
                text: "The peer sent without end what is part of no response, "
                    + "so its connection was closed.",
                underlying: reason)
        }
        if let proxy = request.proxy, let easy {
            let facts = easy.proxyFacts(result, hasSent: sent.requests > 0)
            if let failure = ProxyFailure(of: proxy, facts) {
                tunnel?.wantsLogin = failure.wantsLogin
                return URLError(
                    failure.code, url: request.url, text: failure.text, underlying: reason)
            }
        }
        return HeadRules.error(
            for: result, reason, url: request.url, isAtStart: reception.isAtStart)
            ?? URLError(
                reason.urlErrorCode, url: request.url, text: reason.message,
                underlying: reason)
    }

    /// Whether the delegate was given the whole body.
    var hasDeliveredAll: Bool { state == .consuming && !isDecoding }

    /// Ends the exchange once everything is decoded and the delegate has consumed every byte.
    private func endOnceConsumed() {
        guard state == .consuming, !isConsumerBehind() else { return }
        do {
            guard try deliverDecoded() else { return }
            try decoder?.finish()
        } catch let fault {
            apply(.fail, fault.urlError(request.url))
            return
        }
        // What was decoded just now may not be consumed yet.
        guard decoder == nil || !isConsumerBehind() else { return }
        apply(.consume)
    }

    // MARK: Pauses

    func continueIfPossible() {
        guard takes(.demand) else { return }
        switch state {
        case .consuming: return endOnceConsumed()
        case .delivering:
            do {
                guard !isConsumerBehind(), try deliverDecoded() else { return continueSending() }
            } catch {
                apply(.fail, error.urlError(request.url))
                return
            }
        default: guard state.isWithLibcurl else { return }
        }
        goOn()
    }

    /// The body's stream, which signals once, may have bytes although the delegate has bytes left.
    private func continueSending() {
        guard state.isWithLibcurl, pauses.isSending else { return }
        pauses.isSending = false
        transport.unpause(self, receiving: false)
    }

    private func resumeReceiving() {
        if pauses.isReceiving { goOn() }
    }

    /// After a pause libcurl looks once at what it holds, and a limit for the rate may put that look off for
    /// good. So a limited exchange looks again until its end; libcurl heeds only what was paused.
    private func goOn() {
        if request.options.isRateLimited {
            if !pauses.isReceiving, !pauses.isSending { transport.pause(self) }
            load?.pollSoon()
        } else if !pauses.isReceiving, !pauses.isSending {
            return
        }
        pauses.isReceiving = false
        pauses.isSending = false
        transport.unpause(self, receiving: true)
    }

    func didMove() {
        guard let load else { return }
        load.lastActivity = transport.limitTime
        load.consumerWait.polling.restart()
    }
}

/// Why a callback had libcurl end the exchange; the code that libcurl reports then does not count.
enum Interruption {
    /// The kept connection cannot be used, so the request goes out on a new one.
    case newConnection
    /// A name must be looked up first.
    case lookUp
    /// The exchange was suspended before its request was sent.
    case suspension
    /// The server refuses the request's Expect, so the request goes out without it.
    case expectation
    case failure(URLError)
}

/// The directions in which libcurl is paused.
struct TransferPauses {
    var isReceiving = false
    var isSending = false
    /// The pause is ending: what libcurl passes on now was received before.
    var isEnding = false
}
