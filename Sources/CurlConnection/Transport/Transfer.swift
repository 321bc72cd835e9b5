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
    private(set) var easy: CurlEasyHandle?
    private var phase = Phase.idle
    private var body: RequestBody?
    private var parser = ResponseHeadParser()
    private var hasHead = false
    private var disposition = BodyDisposition.undecided
    private var discarded = 0
    /// A body that is thrown away is worth this much waiting, for the sake of the connection.
    private var discardDeadline: UInt64?
    private var requestsSent = 0
    private var sentUnreported: Int64 = 0
    private var sentTotal: Int64 = 0
    /// An error found here, which counts more than the code libcurl makes of it.
    private var failure: URLError?
    private var isReceivingPaused = false
    private var isSendingPaused = false
    private var lastActivity: UInt64 = 0
    private var polling = Polling()

    private static let discardLimit = 65_536
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
        try easy.set(CURLOPT_CLOSESOCKETDATA, to: sockets)
        try easy.setCloseSocket(closeSocket)
        try easy.set(CURLOPT_SOCKOPTDATA, to: sockets)
        try easy.setNewSocket(adoptSocket)
        try easy.set(CURLOPT_PREREQDATA, to: context)
        try easy.setPrerequest { context, _, _, _, _ in Transfer.from(context)?.prerequest() ?? 1 }
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

    /// libcurl is done with the exchange.
    func ended(with result: CurlCode) {
        guard case .running = phase else { return }
        reportSent()
        guard case .running = phase else { return }
        if hasHead, case .discard = disposition {
            return end(with: nil)
        }
        let error = failure ?? (result == .ok ? nil : urlError(for: result))
        if error == nil, !hasHead {
            return end(with: TransferError.error(.badServerResponse, url: request.url))
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
        return TransferError.error(
            TransferError.code(for: result), url: request.url, text: reason.message,
            underlying: reason)
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
        if case .settling(let error) = phase { return settle(error) }
        if isReceivingPaused, case .deliver = disposition {
            let waiting = delegate?.transferBytesNotConsumed(self) ?? 0
            guard case .running = phase else { return }
            if waiting > 0 {
                pollSoon(waiting)
                if isSendingPaused { transport.unpause(self, receiving: false) }
                return
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

    private func prerequest() -> Int32 {
        guard isRunning else { return CURL_PREREQFUNC_ABORT }
        requestsSent += 1
        // libcurl repeats a request whose kept connection turned out dead, whatever its method.
        if requestsSent > 1, !request.isIdempotent {
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
        if let head = parser.take(line) {
            hasHead = true
            reportSent()
            guard isRunning else { return 0 }
            dispose(delegate?.transfer(self, didReceive: head) ?? .discard)
        }
        return isRunning ? line.count : 0
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard isRunning else { return 0 }
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
            delegate?.transfer(self, didReceive: bytes)
            return isRunning ? bytes.count : 0
        }
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
        guard isRunning, offset == 0, request.isIdempotent || requestsSent <= 1 else {
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
