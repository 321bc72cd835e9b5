import CCurl
import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics

/// One exchange: a request out, an answer in. Turns libcurl's callbacks into its delegate's.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none. Calls out on: that thread. A delegate may cancel
/// from inside any call; nothing follows.
final class Transfer {
    enum Phase {
        case idle, running
        /// libcurl is done; the consumer has bytes in hand, or the disposition is open.
        case settling(URLError?)
        case over
    }

    // MARK: Set once

    let request: TransferRequest
    unowned let transport: RunLoopTransport

    // MARK: The transport's thread only

    /// Kept until the end, so that an exchange under way needs no other owner.
    var delegate: (any TransferDelegate)?
    /// libcurl's handle; nil while the exchange waits for a connection.
    var easy: CurlEasyHandle?
    /// The transport's own: where the exchange stands in the line for connections.
    var place: Admission.Place?
    /// Whether the server asked for a certificate in the handshake that this exchange made last.
    lazy var certificateRequest = CertificateRequest()
    /// The TLS of the connection that carries the request.
    var secure: SecureConnection?
    /// The handshake that this exchange made with an HTTPS proxy; until the request that follows.
    var proxyHandshake: ProxyHandshake?
    /// Whom the delegate accepted in a handshake of this exchange; until the request that follows.
    var acceptedInHandshake: ServerTrust?
    /// Whether that is the server of the request that is about to go out.
    var isJudged = false
    var phase = Phase.idle
    var body: RequestBody?
    var parser = ResponseHeadParser()
    var hasHead = false
    /// A 401 or 407 that libcurl may answer by itself; shown once it turns out that it does not.
    var heldHead: ResponseHead?
    lazy var rules = HeadRules(limit: request.limits.head)
    var decoder: ContentDecoder?
    /// The kept connection had something in it: the request goes out on a new one.
    var needsNewConnection = false
    /// The schemes, as libcurl's bits, by which a proxy wants a login before it makes a tunnel.
    private(set) var refusedByProxy: Int?
    var lookUp = LookUp()
    var disposition = BodyDisposition.undecided
    var discarded = 0
    /// A body that is thrown away is worth this much waiting, for the sake of the connection.
    var discardDeadline: UInt64?
    /// How often a request was about to go out; more than once when libcurl repeats it.
    var requestsSent = 0
    var sentUnreported: Int64 = 0
    var sentTotal: Int64 = 0
    /// An error found here, which counts more than the code libcurl makes of it.
    var failure: URLError?
    var isReceivingPaused = false
    var isSendingPaused = false
    var lastActivity: UInt64 = 0
    var polling = Polling()
    /// Unchecked, for it is used at every step, and calls nobody who comes back here.
    @exclusivity(unchecked)
    var trace: TransferTrace?

    static let discardLimit = 65_536
    static let decodedAtOnce = 1 << 20
    static let progressPiece: Int64 = 32_768
    static let discardTime: UInt64 = 1_000_000_000

    init(
        _ request: TransferRequest, on transport: RunLoopTransport, delegate: any TransferDelegate
    ) {
        self.request = request
        self.transport = transport
        self.delegate = delegate
        body = request.body
    }

    // MARK: From above

    /// - Throws: `CurlError` or `URLError`; then no call follows.
    func start() throws {
        phase = .running
        do {
            try transport.add(self)
        } catch {
            close()
            throw error
        }
    }

    /// Ends the exchange; no call follows, not even the one a callback is in the middle of.
    func cancel() {
        if case .over = phase { return }
        trace?.fail(with: URLError(.cancelled, url: request.url))
        close()
        transport.remove(self)
    }

    /// Answers what `didReceive head` left undecided.
    func decide(_ disposition: BodyDisposition) {
        guard case .undecided = self.disposition else { return }
        dispose(disposition)
        lastActivity = MonotonicClock.now
        transport.careNoLaterThan(nextCare)
        if case .settling(let error) = phase {
            transport.later { [self] in settle(error) }
        } else if isReceivingPaused {
            isReceivingPaused = false
            transport.unpause(self, receiving: true)
        }
    }

    // MARK: From the transport

    /// Ends without a further call and gives up the handle, which must outlive its removal.
    @discardableResult
    func detach() -> CurlEasyHandle? {
        close()
        trace?.end(self)
        trace = nil
        defer { easy = nil }
        return easy
    }

    func noteActivity(at now: UInt64) {
        lastActivity = now
    }

    /// The next moment at which `care` has something to do.
    var nextCare: UInt64? {
        let next = min(
            polling.next ?? .max, idleDeadline ?? .max, discardDeadline ?? .max,
            request.deadline ?? .max)
        return next == .max ? nil : next
    }

    /// When the exchange has idled too long; never while a decision is awaited from above.
    var idleDeadline: UInt64? {
        if easy == nil, lookUp.ticket == nil { return nil }
        if hasHead, case .undecided = disposition { return nil }
        return MonotonicClock.nanoseconds(request.idleLimit).map { lastActivity + $0 }
    }

    /// Looks after what libcurl does not: the idle limit, and the other side of a pause.
    func care(at now: UInt64) {
        if let deadline = request.deadline, deadline <= now {
            end(
                with: URLError(
                    .timedOut, url: request.url,
                    text: "The limit for the whole transfer has passed."))
            return
        }
        if let discardDeadline, discardDeadline <= now {
            return end(with: nil)
        }
        if let idleDeadline, idleDeadline <= now {
            end(
                with: URLError(
                    .timedOut, url: request.url,
                    text: "Nothing was received or sent for \(request.idleLimit) seconds."))
            return
        }
        if polling.isDue(at: now) {
            continueIfPossible()
        }
    }

    /// Whether there is still something to ask the server.
    func mayBegin() -> Bool {
        delegate?.transferMayBegin(self) ?? false
    }

    /// The exchange waited for a connection, and then could not be handed to libcurl.
    func couldNotBegin(_ error: any Error) {
        end(
            with: error as? URLError
                ?? URLError(.unknown, url: request.url, underlying: error))
    }

    /// libcurl is done with the exchange.
    func ended(with result: CurlCode) {
        guard case .running = phase else { return }
        if needsNewConnection { return startAgain() }
        if lookUp.isWanted { return beginLookUp() }
        if result == .couldntConnect, !lookUp.entries.isEmpty { forgetAddresses() }
        reportSent()
        guard case .running = phase else { return }
        showHeldHead()
        guard case .running = phase else { return }
        if hasHead, case .discard = disposition {
            return end(with: nil)
        }
        let error = failure ?? (result == .ok ? nil : urlError(for: result))
        if error == nil, !hasHead {
            return end(
                with: URLError(
                    .networkConnectionLost, url: request.url,
                    text: "The connection ended inside the answer's head."))
        }
        settle(error)
    }

    func dispose(_ disposition: BodyDisposition) {
        self.disposition = disposition
        if case .discard = disposition {
            discardDeadline = MonotonicClock.now + Self.discardTime
            transport.careNoLaterThan(discardDeadline)
        }
    }

    /// The kernel does not watch the sockets of the transport any more.
    func couldNotWatch(_ error: URLError) {
        guard easy != nil, isRunning else { return }
        var info = error.userInfo
        info[NSURLErrorFailingURLErrorKey] = request.url
        end(with: URLError(error.code, described: info))
    }

    // MARK: Ending

    func settle(_ error: URLError?) {
        if case .over = phase { return }
        phase = .settling(error)
        if error == nil, hasHead {
            if case .undecided = disposition { return }
            if isConsumerBehind() { return }
            do {
                guard try deliverDecoded() else { return }
                try decoder?.finish()
            } catch let fault {
                return end(with: fault.urlError(request.url))
            }
        }
        end(with: error)
    }

    func end(with error: URLError?) {
        if case .over = phase { return }
        let delegate = delegate
        if let error { trace?.fail(with: error) }
        close()
        transport.remove(self)
        delegate?.transfer(self, didEndWith: error)
    }

    func close() {
        phase = .over
        delegate = nil
        lookUp.ticket?.cancel()
        lookUp.ticket = nil
    }

    func urlError(for result: CurlCode) -> URLError {
        let reason = easy?.error(for: result) ?? CurlError(result)
        if let proxy = request.proxy, let easy {
            let facts = easy.proxyFacts(result, hasSent: requestsSent > 0)
            if let failure = ProxyFailure(of: proxy, facts) {
                refusedByProxy = failure.wantsLogin ? easy.long(CURLINFO_PROXYAUTH_AVAIL) : nil
                return URLError(
                    failure.code, url: request.url, text: failure.text, underlying: reason)
            }
        }
        return HeadRules.error(for: result, reason, url: request.url)
            ?? URLError(
                TransferError.code(for: reason), url: request.url, text: reason.message,
                underlying: reason)
    }

    /// Refuses the answer from inside a callback, whose value for libcurl this is.
    func refuse(_ fault: AnswerFault) -> Int {
        failure = fault.urlError(request.url)
        return 0
    }

    /// Nothing of the request was sent: it goes out on a new connection, whatever its method.
    func startAgain() {
        let delegate = delegate
        transport.remove(self)
        self.delegate = delegate
        phase = .running
        do {
            try transport.add(self)
        } catch {
            self.delegate = delegate
            phase = .running
            couldNotBegin(error)
        }
    }

    // MARK: Pauses

    /// Asks again after a while, sooner when the consumer took some.
    func pollSoon(_ waiting: Int = 0) {
        if polling.again(waiting: waiting) {
            lastActivity = transport.now
        }
        transport.careNoLaterThan(polling.next)
    }

    func continueIfPossible() {
        if case .over = phase { return }
        if case .settling(let error) = phase { return settle(error) }
        if case .deliver = disposition, isConsumerBehind() {
            if isRunning, isSendingPaused { transport.unpause(self, receiving: false) }
            return
        }
        if case .deliver = disposition {
            do { guard try deliverDecoded() else { return } } catch {
                return end(with: error.urlError(request.url))
            }
        }
        isReceivingPaused = false
        transport.unpause(self, receiving: true)
    }

    func didMove() {
        lastActivity = transport.now
        polling.restart()
    }
}
