import Foundation

// The response: lines become a head, bytes a body.

extension Transfer {
    /// - Returns: whether libcurl may go on.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        guard state.isWithLibcurl else { return false }
        if let tunnel {
            tunnel.take(line)
            return true
        }
        didMove()
        notice(line)
        if tls.speaksHTTP2 { reception.latest = MonotonicClock.now }
        if let fault = reception.fault(in: line, isHTTP2: tls.speaksHTTP2) { return refuse(fault) }
        if let head = reception.take(line) {
            trace?.didReceive(head, request.fields)
            if let refusal = refusalOfExpectation(head) {
                interruption = refusal
                return false
            }
            switch HeadRules.verdict(on: head) {
            case .accept: break
            case .acceptAndClose:
                // No libcurl refuses this, and `UnsolicitedBytes` checks the next request anyway.
                try? easy?.set(.forbidReuse, to: true)
            case .refuse(let fault): return refuse(fault)
            }
            if mayBeFollowed(head) {
                reception.held = head
            } else {
                show(head)
            }
        }
        return state.isWithLibcurl && failure == nil
    }

    private func refuse(_ fault: ResponseFault) -> Bool {
        interruption = .failure(fault.urlError(request.url))
        return false
    }

    private func show(_ head: ResponseHead) {
        reportSent()
        guard state.isWithLibcurl else { return }
        guard takes(.head) else { return reception.held = head }
        measured.isDecoded = request.decodes(head)
        if measured.isDecoded, head.value(of: "Content-Encoding") != nil {
            do {
                decoder = try ContentDecoder(for: head, ratio: request.limits.decompressionRatio)
            } catch {
                _ = refuse(error)
                return
            }
        }
        apply(.showHead)
        load?.received(head, of: self)
    }

    /// Lets the body that has begun become any number of times larger.
    func liftDecompressionRatio() {
        decoder?.ratio = nil
    }

    /// Whether another head may follow, since libcurl may send the request again by itself.
    func mayBeFollowed(_ head: ResponseHead) -> Bool {
        isAnswered(head) || mayBeRepeated(after: head)
    }

    /// Whether libcurl may answer a challenge by itself and ask again, so that its head is not the
    /// response's yet.
    private func isAnswered(_ head: ResponseHead) -> Bool {
        (head.statusCode == 401 && request.authentication != nil)
            || (head.statusCode == 407 && request.proxyAuthentication != nil)
    }

    /// Whether libcurl may send the request again. It first asks with an empty body, and where the
    /// server accepts that instead of challenging, it sends the request again with its body.
    private func mayBeRepeated(after head: ResponseHead) -> Bool {
        guard let authentication = request.authentication, authentication.scheme != .basic else {
            return false
        }
        return body != nil && head.statusCode < 300 && sent.total + sent.unreported == 0
    }

    func showHeldHead() {
        guard let head = reception.held else { return }
        reception.held = nil
        show(head)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> CurlReception {
        guard state.isWithLibcurl else { return .refuse }
        if tls.speaksHTTP2, !pauses.isEnding { reception.latest = MonotonicClock.now }
        showHeldHead()
        guard meanwhile(.bytes) != .pauses else { return pausedReceiving() }
        guard failure == nil else { return .refuse }
        switch state {
        case .undecided:
            pauses.isReceiving = true
            return .pause
        case .discarding:
            note(received: bytes.count)
            return discarding.take(bytes.count) ? .taken : .refuse
        case .delivering:
            guard !isConsumerBehind() else { return pausedReceiving() }
            didMove()
            trace?.didReceive(bytes: bytes.count)
            return deliver(bytes)
        default:
            return .refuse
        }
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) -> CurlReception {
        guard let decoder else {
            note(received: bytes.count)
            load?.transfer(self, didReceive: bytes)
            // Asked now, because the server may send no more bytes before the consumer is asked again.
            return isConsumerBehind() && !state.isWithLibcurl ? .refuse : .taken
        }
        do {
            guard try deliverDecoded() else { return pausedReceiving() }
            note(received: bytes.count)
            decoder.push(bytes)
            _ = try deliverDecoded()
        } catch {
            _ = refuse(error)
            return .refuse
        }
        return state.isWithLibcurl ? .taken : .refuse
    }

    private func pausedReceiving() -> CurlReception {
        pauses.isReceiving = true
        return state.isWithLibcurl ? .pause : .refuse
    }

    /// Delivers what the decoder holds, at most so much at once that its work does not keep the thread from its
    /// other transfers.
    ///
    /// - Returns: false where the consumer has enough for now or cancelled, or more is to be decoded.
    func deliverDecoded() throws(ResponseFault) -> Bool {
        guard let decoder else { return true }
        isDecoding = true
        let start = decoder.work
        while true {
            let before = decoder.work
            if before - start >= ContentDecoder.workAtOnce || transport.decodingLeft <= 0 { break }
            let piece = try decoder.next()
            transport.decodingLeft -= decoder.work - before
            guard let piece else {
                if decoder.hasMoreToDo { break }
                isDecoding = false
                return true
            }
            measured.times.decoded(bytes: piece.count)
            trace?.didDecode(bytes: piece.count)
            load?.transfer(self, didReceive: piece)
            if isConsumerBehind() { return false }
        }
        transport.later { self.continueIfPossible() }
        return false
    }

    /// Whether the delegate has enough for now, or cancelled.
    func isConsumerBehind() -> Bool { load?.isConsumerBehind() ?? true }
}

/// The most that is read of a response body that is not needed: 64 KiB, for a second. The delegate has rejected it, or
/// the load follows a redirect, answers a challenge or sends the request again.
///
/// A connection can be reused only when the body was read to its end. If one of the limits comes first, the connection
/// is closed, or with HTTP/2 the stream.
struct DiscardLimit {
    private var count = 0
    /// The time in nanoseconds after which no more of the body is read; nil before `begin`.
    private(set) var deadline: UInt64?

    private static let byteLimit = 65_536
    private static let timeLimit: UInt64 = 1_000_000_000

    mutating func begin(at now: UInt64) {
        deadline = now + Self.timeLimit
    }

    /// - Returns: whether more may be read after these bytes.
    mutating func take(_ bytes: Int) -> Bool {
        count += bytes
        return count <= Self.byteLimit
    }
}
