import CCurl
import Foundation

// The answer: lines become a head, bytes a body.

extension Transfer {
    func header(_ line: UnsafeRawBufferPointer) -> Int {
        guard isRunning else { return 0 }
        didMove()
        if let fault = rules.fault(in: line) { return refuse(fault) }
        if let head = parser.take(line) {
            trace?.didReceive(head, self)
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

    func show(_ head: ResponseHead) {
        if request.isDecoded, head.value(of: "Content-Encoding") != nil {
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
    func mayBeRepeated(after head: ResponseHead) -> Bool {
        guard let authentication = request.authentication, authentication.scheme != .basic else {
            return false
        }
        return body != nil && head.statusCode < 300 && sentTotal + sentUnreported == 0
    }

    func showHeldHead() {
        guard let head = heldHead else { return }
        heldHead = nil
        show(head)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
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
            guard !isConsumerBehind() else {
                isReceivingPaused = true
                return isRunning ? Int(ccurl_write_pause) : 0
            }
            didMove()
            trace?.didReceive(bytes: bytes.count)
            guard let decoder else {
                delegate?.transfer(self, didReceive: bytes)
                // The server may send no more before the consumer has told of these.
                return isConsumerBehind() && !isRunning ? 0 : bytes.count
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
        if case .over = phase { return true }
        let waiting = delegate?.transferBytesNotConsumed(self) ?? 0
        if case .over = phase { return true }
        if waiting > 0 { pollSoon(waiting) }
        return waiting > 0
    }
}
