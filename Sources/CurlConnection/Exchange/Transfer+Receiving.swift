import Foundation

// The response: lines become a head, bytes a body.

extension Transfer {
    /// - Returns: whether libcurl may go on.
    func takeLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard state.isWithLibcurl else { return false }
        didMove()
        if let fault = reception.fault(in: line) { return refuse(fault) }
        if let head = reception.take(line) {
            trace?.didReceive(head, self)
            switch HeadRules.verdict(on: head) {
            case .accept: break
            case .acceptAndClose:
                // Refused by no libcurl; if it were, the next request is still looked after.
                try? easy?.set(.forbidReuse, to: true)
            case .refuse(let fault): return refuse(fault)
            }
            if head.isChallenge(answeredIn: request) || mayBeRepeated(after: head) {
                reception.held = head
            } else {
                show(head)
            }
        }
        return state.isWithLibcurl && failure == nil
    }

    private func refuse(_ fault: AnswerFault) -> Bool {
        interruption = .failure(fault.urlError(request.url))
        return false
    }

    private func show(_ head: ResponseHead) {
        if request.isDecoded, head.value(of: "Content-Encoding") != nil {
            do {
                decoder = try ContentDecoder(for: head, ratio: request.limits.decompressionRatio)
            } catch {
                _ = refuse(error)
                return
            }
        }
        apply(.showHead)
        reportSent()
        guard state.isWithLibcurl else { return }
        take(delegate?.transfer(self, didReceive: head) ?? .discard)
    }

    /// libcurl asks with an empty body before it answers a challenge, and where that is welcome it
    /// sends the request again in full.
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

    func takeBody(_ bytes: UnsafeRawBufferPointer) -> CurlReception {
        guard state.isWithLibcurl else { return .refuse }
        showHeldHead()
        guard failure == nil else { return .refuse }
        switch state {
        case .undecided:
            pauses.isReceiving = true
            return .pause
        case .discarding:
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
            delegate?.transfer(self, didReceive: bytes)
            // The server may send no more before the consumer has told of these.
            return isConsumerBehind() && !state.isWithLibcurl ? .refuse : .taken
        }
        do {
            guard try deliverDecoded() else { return pausedReceiving() }
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

    private static let decodedAtOnce = 1 << 20

    /// Delivers what the decoder holds, as much as is good at once: a body that unpacks into a
    /// large one must not keep the thread from its other transfers.
    ///
    /// - Returns: false if the consumer has enough for now, or cancelled.
    func deliverDecoded() throws(AnswerFault) -> Bool {
        var given = 0
        while let piece = try decoder?.next() {
            given += piece.count
            trace?.didDecode(bytes: piece.count)
            delegate?.transfer(self, didReceive: piece)
            if isConsumerBehind() { return false }
            if given >= Self.decodedAtOnce {
                transport.later { self.continueIfPossible() }
                return false
            }
        }
        return true
    }

    /// Whether the consumer has enough for now, or cancelled. One with bytes in hand is asked again
    /// after a while, whether or not more come.
    func isConsumerBehind() -> Bool {
        if state == .over { return true }
        let waiting = delegate?.transferBytesNotConsumed(self) ?? 0
        if state == .over { return true }
        if waiting > 0 { pollSoon(waiting) }
        return waiting > 0
    }
}
