import CCurl
import Foundation
import FoundationNetworking

/// One exchange: a request out, an answer in. Turns libcurl's callbacks into its delegate's.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none. Calls out on: that thread. A delegate may cancel
/// from inside any call; nothing follows.
final class Transfer {
    private enum Phase {
        case idle, running
        /// libcurl is done; the consumer has bytes in hand, or the disposition is open.
        case settling(URLError?)
        case over
    }

    // MARK: Set once

    let request: TransferRequest
    private unowned let transport: RunLoopTransport

    // MARK: The transport's thread only

    /// Kept until the end, so that an exchange under way needs no other owner.
    private var delegate: (any TransferDelegate)?
    /// libcurl's handle; nil while the exchange waits for a connection.
    private(set) var easy: CurlEasyHandle?
    /// The transport's own: where the exchange stands in the line for connections.
    var place: Admission.Place?
    /// Whether the server asked for a certificate when the connection was made.
    let certificateRequest = CertificateRequest()
    private var phase = Phase.idle
    private var body: RequestBody?
    private var parser = ResponseHeadParser()
    private var hasHead = false
    /// A 401 or 407 that libcurl may answer by itself; shown once it turns out that it does not.
    private var heldHead: ResponseHead?
    private lazy var rules = HeadRules(limit: request.limits.head)
    private var decoder: ContentDecoder?
    /// The kept connection had something in it: the request goes out on a new one.
    private var needsNewConnection = false
    /// The schemes, as libcurl's bits, by which a proxy wants a login before it makes a tunnel.
    private(set) var refusedByProxy: Int?
    private var disposition = BodyDisposition.undecided
    private var discarded = 0
    /// A body that is thrown away is worth this much waiting, for the sake of the connection.
    private var discardDeadline: UInt64?
    /// How often a request was about to go out; more than once when libcurl repeats it.
    private(set) var requestsSent = 0
    private var sentUnreported: Int64 = 0
    private var sentTotal: Int64 = 0
    /// An error found here, which counts more than the code libcurl makes of it.
    private var failure: URLError?
    private var isReceivingPaused = false
    private var isSendingPaused = false
    private var lastActivity: UInt64 = 0
    private var polling = Polling()

    private static let discardLimit = 65_536
    private static let decodedAtOnce = 1 << 20
    private static let discardTime: UInt64 = 1_000_000_000

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

    func prepare(_ easy: CurlEasyHandle, sockets: UnsafeMutableRawPointer) throws {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try easy.apply(request)
        try easy.set(CURLOPT_PRIVATE, to: context)
        try easy.set(CURLOPT_FRESH_CONNECT, to: needsNewConnection)
        needsNewConnection = false
        try easy.set(CURLOPT_CLOSESOCKETDATA, to: sockets)
        try easy.setCloseSocket(closeSocket)
        try easy.set(CURLOPT_SOCKOPTDATA, to: sockets)
        try easy.setNewSocket(adoptSocket)
        try easy.set(CURLOPT_PREREQDATA, to: context)
        try easy.setPrerequest { context, address, _, port, localPort in
            Transfer.from(context)?.prerequest(address, port, localPort) ?? 1
        }
        try easy.set(CURLOPT_HEADERDATA, to: context)
        try easy.set(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            Transfer.from(context)?.header(
                UnsafeRawBufferPointer(start: bytes, count: size * count))
                ?? 0
        }
        try easy.set(CURLOPT_WRITEDATA, to: context)
        try easy.set(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            Transfer.from(context)?.receive(
                UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
        }
        if request.isSecure {
            try easy.set(CURLOPT_SSL_CTX_DATA, to: context)
            try easy.setTLSContext { _, tls, context in
                guard let tls, let transfer = Transfer.from(context) else {
                    return CURLE_SSL_CONNECT_ERROR
                }
                return transfer.setUp(tls: OpaquePointer(tls))
                    ? CURLE_OK : CURLE_SSL_CERTPROBLEM
            }
        }
        if body != nil {
            try easy.set(CURLOPT_READDATA, to: context)
            try easy.set(CURLOPT_READFUNCTION) { bytes, size, count, context in
                Transfer.from(context)?.send(
                    UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
                    ?? Int(ccurl_read_abort)
            }
            try easy.set(CURLOPT_SEEKDATA, to: context)
            try easy.setSeek { context, offset, _ in
                Transfer.from(context)?.rewind(to: Int64(offset)) ?? CURL_SEEKFUNC_FAIL
            }
        }
        self.easy = easy
    }

    /// Ends without a further call and gives up the handle, which must outlive its removal.
    @discardableResult
    func detach() -> CurlEasyHandle? {
        close()
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
    private var idleDeadline: UInt64? {
        if easy == nil { return nil }
        if hasHead, case .undecided = disposition { return nil }
        return MonotonicClock.nanoseconds(request.idleLimit).map { lastActivity + $0 }
    }

    /// Looks after what libcurl does not: the idle limit, and the other side of a pause.
    func care(at now: UInt64) {
        if let deadline = request.deadline, deadline <= now {
            end(
                with: TransferError.error(
                    .timedOut, url: request.url,
                    text: "The limit for the whole transfer has passed."))
            return
        }
        if let discardDeadline, discardDeadline <= now {
            return end(with: nil)
        }
        if let idleDeadline, idleDeadline <= now {
            end(
                with: TransferError.error(
                    .timedOut, url: request.url,
                    text: "Nothing was received or sent for \(request.idleLimit) seconds."))
            return
        }
        if polling.isDue(at: now) {
            continueIfPossible()
        }
    }

    /// The exchange waited for a connection, and then could not be handed to libcurl.
    func couldNotBegin(_ error: any Error) {
        end(
            with: error as? URLError
                ?? TransferError.error(.unknown, url: request.url, underlying: error))
    }

    /// libcurl is done with the exchange.
    func ended(with result: CurlCode) {
        guard case .running = phase else { return }
        if needsNewConnection { return startAgain() }
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
                with: TransferError.error(
                    .networkConnectionLost, url: request.url,
                    text: "The connection ended inside the answer's head."))
        }
        settle(error)
    }

    private func dispose(_ disposition: BodyDisposition) {
        self.disposition = disposition
        if case .discard = disposition {
            discardDeadline = MonotonicClock.now + Self.discardTime
            transport.careNoLaterThan(discardDeadline)
        }
    }

    // MARK: Ending

    private func settle(_ error: URLError?) {
        if case .over = phase { return }
        phase = .settling(error)
        if error == nil, hasHead {
            if case .undecided = disposition { return }
            let waiting = delegate?.transferBytesNotConsumed(self) ?? 0
            if case .over = phase { return }
            if waiting > 0 { return pollSoon(waiting) }
            do {
                guard try deliverDecoded() else { return }
                try decoder?.finish()
            } catch let fault {
                return end(with: fault.urlError(request.url))
            }
        }
        end(with: error)
    }

    private func end(with error: URLError?) {
        if case .over = phase { return }
        let delegate = delegate
        close()
        transport.remove(self)
        delegate?.transfer(self, didEndWith: error)
    }

    private func close() {
        phase = .over
        delegate = nil
    }

    private func urlError(for result: CurlCode) -> URLError {
        let reason = easy?.error(for: result) ?? CurlError(result)
        if let proxy = request.proxy, let easy {
            let facts = easy.proxyFacts(result, hasSent: requestsSent > 0)
            if let failure = ProxyFailure(of: proxy, facts) {
                refusedByProxy = failure.wantsLogin ? easy.long(CURLINFO_PROXYAUTH_AVAIL) : nil
                return TransferError.error(
                    failure.code, url: request.url, text: failure.text, underlying: reason)
            }
        }
        return HeadRules.error(for: result, reason, url: request.url)
            ?? TransferError.error(
                TransferError.code(for: result), url: request.url, text: reason.message,
                underlying: reason)
    }

    /// Refuses the answer from inside a callback, whose value for libcurl this is.
    private func refuse(_ fault: AnswerFault) -> Int {
        failure = fault.urlError(request.url)
        return 0
    }

    /// Nothing of the request was sent: it goes out on a new connection, whatever its method.
    private func startAgain() {
        let delegate = delegate
        transport.remove(self)
        self.delegate = delegate
        phase = .running
        do { try transport.add(self) } catch { couldNotBegin(error) }
    }

    // MARK: Pauses

    /// Asks again after a while, sooner when the consumer took some.
    private func pollSoon(_ waiting: Int = 0) {
        if polling.again(waiting: waiting) {
            lastActivity = transport.now
        }
        transport.careNoLaterThan(polling.next)
    }

    private func continueIfPossible() {
        if case .over = phase { return }
        if case .settling(let error) = phase { return settle(error) }
        if isReceivingPaused || decoder != nil, case .deliver = disposition {
            let waiting = delegate?.transferBytesNotConsumed(self) ?? 0
            guard case .running = phase else { return }
            if waiting > 0 {
                pollSoon(waiting)
                if isSendingPaused { transport.unpause(self, receiving: false) }
                return
            }
        }
        if case .deliver = disposition {
            do { guard try deliverDecoded() else { return } } catch {
                return end(with: error.urlError(request.url))
            }
        }
        isReceivingPaused = false
        transport.unpause(self, receiving: true)
    }

    private func didMove() {
        lastActivity = transport.now
        polling.restart()
    }

    // MARK: libcurl's callbacks

    private static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private var isRunning: Bool {
        if case .running = phase { return true }
        return false
    }

    private func prerequest(
        _ address: UnsafePointer<CChar>?, _ port: Int32, _ localPort: Int32
    ) -> Int32 {
        guard isRunning, let easy else { return CURL_PREREQFUNC_ABORT }
        let ends = ConnectionEnds(
            localPort: localPort, remotePort: port,
            remoteAddress: address.map { String(cString: $0) } ?? "")
        switch EarlyBytes.action(before: easy, socket: transport.socket(with: ends)) {
        case .send: break
        case .useNewConnection:
            needsNewConnection = true
            return CURL_PREREQFUNC_ABORT
        case .refuse(let fault):
            failure = fault.urlError(request.url)
            return CURL_PREREQFUNC_ABORT
        }
        requestsSent += 1
        if let head = heldHead {
            // libcurl answers the challenge; the next head is another one.
            heldHead = nil
            delegate?.transfer(self, didPassOver: head)
            guard isRunning else { return CURL_PREREQFUNC_ABORT }
            parser = ResponseHeadParser()
            rules = HeadRules(limit: request.limits.head)
            let limit = request.authentication?.requestLimit ?? 0
            if requestsSent > limit + (request.proxyAuthentication?.requestLimit ?? 0) {
                failure = TransferError.error(
                    .userAuthenticationRequired, url: request.url,
                    text: "Asked for the same credentials again and again.")
                return CURL_PREREQFUNC_ABORT
            }
        } else if requestsSent > 1, !request.isIdempotent {
            // libcurl repeats a request whose kept connection turned out dead, whatever its method.
            failure = TransferError.error(
                .networkConnectionLost, url: request.url,
                text: "The kept connection was closed; a \(request.method) is not repeated unasked."
            )
            return CURL_PREREQFUNC_ABORT
        }
        didMove()
        guard delegate?.transferMaySendRequest(self) == true else { return CURL_PREREQFUNC_ABORT }
        return isRunning ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    private func header(_ line: UnsafeRawBufferPointer) -> Int {
        guard isRunning else { return 0 }
        didMove()
        if let fault = rules.fault(in: line) { return refuse(fault) }
        if let head = parser.take(line) {
            switch HeadRules.verdict(on: head) {
            case .accept: break
            case .acceptAndClose:
                // Refused by no libcurl; if it were, the next request is still looked after.
                try? easy?.set(CURLOPT_FORBID_REUSE, to: true)
            case .refuse(let fault): return refuse(fault)
            }
            if head.isChallenge(answeredIn: request) || mayBeRepeated(after: head) {
                heldHead = head
            } else {
                show(head)
            }
        }
        return isRunning && failure == nil ? line.count : 0
    }

    private func show(_ head: ResponseHead) {
        if request.isDecoded {
            do {
                decoder = try ContentDecoder(for: head, ratio: request.limits.decompressionRatio)
            } catch {
                failure = error.urlError(request.url)
                return
            }
        }
        hasHead = true
        reportSent()
        guard isRunning else { return }
        dispose(delegate?.transfer(self, didReceive: head) ?? .discard)
    }

    /// libcurl asks with an empty body before it answers a challenge, and where that is welcome it
    /// sends the request again in full.
    private func mayBeRepeated(after head: ResponseHead) -> Bool {
        guard let authentication = request.authentication, authentication.scheme != .basic else {
            return false
        }
        return body != nil && head.statusCode < 300 && sentTotal + sentUnreported == 0
    }

    private func showHeldHead() {
        guard let head = heldHead else { return }
        heldHead = nil
        show(head)
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard isRunning else { return 0 }
        showHeldHead()
        guard isRunning, failure == nil else { return 0 }
        switch disposition {
        case .undecided:
            isReceivingPaused = true
            return Int(ccurl_write_pause)
        case .discard:
            discarded += bytes.count
            return discarded > Self.discardLimit ? 0 : bytes.count
        case .deliver:
            let waiting = delegate?.transferBytesNotConsumed(self) ?? 0
            guard isRunning else { return 0 }
            if waiting > 0 {
                isReceivingPaused = true
                pollSoon(waiting)
                return Int(ccurl_write_pause)
            }
            didMove()
            guard let decoder else {
                delegate?.transfer(self, didReceive: bytes)
                return isRunning ? bytes.count : 0
            }
            do {
                guard try deliverDecoded() else {
                    isReceivingPaused = true
                    return isRunning ? Int(ccurl_write_pause) : 0
                }
                decoder.push(bytes)
                _ = try deliverDecoded()
            } catch {
                return refuse(error)
            }
            return isRunning ? bytes.count : 0
        }
    }

    /// Delivers what the decoder holds, as much as is good at once: a body that unpacks into a large
    /// one must not keep the thread from its other transfers.
    ///
    /// - Returns: false if the consumer has enough for now, or cancelled.
    private func deliverDecoded() throws(AnswerFault) -> Bool {
        var given = 0
        while let piece = try decoder?.next() {
            given += piece.count
            delegate?.transfer(self, didReceive: piece)
            if case .over = phase { return false }
            let waiting = delegate?.transferBytesNotConsumed(self) ?? 0
            if case .over = phase { return false }
            if waiting > 0 {
                pollSoon(waiting)
                return false
            }
            if given >= Self.decodedAtOnce {
                transport.later { self.continueIfPossible() }
                return false
            }
        }
        return true
    }

    private func send(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        reportSent()
        guard isRunning, let body else { return Int(ccurl_read_abort) }
        switch body.read(into: buffer) {
        case .bytes(let count):
            didMove()
            isSendingPaused = false
            sentUnreported = Int64(count)
            transport.watchSending(of: self)
            return count
        case .end:
            return 0
        case .dry:
            isSendingPaused = true
            pollSoon()
            return Int(ccurl_read_pause)
        case .failed(let error):
            failure =
                error as? URLError
                ?? TransferError.error(
                    .requestBodyStreamExhausted, url: request.url,
                    text: "The body stream failed.", underlying: error)
            return Int(ccurl_read_abort)
        }
    }

    private func rewind(to offset: Int64) -> Int32 {
        let isUnasked = requestsSent > 1 && heldHead == nil
        guard isRunning, offset == 0, request.isIdempotent || !isUnasked else {
            return CURL_SEEKFUNC_FAIL
        }
        sentUnreported = 0
        sentTotal = 0
        if body?.rewind() == true { return CURL_SEEKFUNC_OK }
        guard let replacement = delegate?.transferNeedsNewBody(self), isRunning else {
            return CURL_SEEKFUNC_FAIL
        }
        body?.close()
        body = replacement
        return CURL_SEEKFUNC_OK
    }

    /// Reports the bytes handed to libcurl if they are in the socket.
    ///
    /// - Returns: whether nothing is left to report.
    func reportIfSent() -> Bool {
        guard isRunning, sentUnreported > 0, let easy else { return true }
        guard easy.offset(CURLINFO_SIZE_UPLOAD_T) >= sentTotal + sentUnreported else {
            return false
        }
        reportSent()
        return true
    }

    /// Bytes handed to libcurl also count as sent once it asks for more, or once an answer comes.
    private func reportSent() {
        guard sentUnreported > 0, isRunning else { return }
        let bytes = sentUnreported
        sentUnreported = 0
        sentTotal += bytes
        delegate?.transfer(
            self, didSend: bytes, total: sentTotal, expected: body?.length ?? -1)
    }
}

/// Called by libcurl for each socket it opens for a connection.
private func adoptSocket(
    _ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ purpose: curlsocktype
) -> Int32 {
    if let context {
        Unmanaged<DescriptorSet>.fromOpaque(context).takeUnretainedValue().adopt(socket)
    }
    return Int32(CURL_SOCKOPT_OK)
}

/// Called by libcurl for each socket it closes; the set must forget it first.
private func closeSocket(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t) -> Int32 {
    if let context {
        Unmanaged<DescriptorSet>.fromOpaque(context).takeUnretainedValue().forget(socket)
    }
    return close(socket)
}
