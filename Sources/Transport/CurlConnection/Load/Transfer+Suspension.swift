import Foundation

// An exchange that rests. One whose request was not sent leaves libcurl (`Load.unsent`);
// otherwise libcurl is paused both ways, and what comes all the same is kept until it goes on.

/// Whether an exchange rests, and how libcurl ended it meanwhile.
struct TransferRest {
    var isOn = false
    var end: End?

    struct End {
        var result: CurlCode
        /// `Transfer.lostEnd` when libcurl said so.
        var lost: URLError?
    }
}

extension Transfer {
    /// Has the exchange rest: the delegate hears nothing but a limit that passes.
    func suspend() {
        guard !rest.isOn, state != .over else { return }
        rest.isOn = true
        // libcurl, which may be calling, can be told only outside.
        transport.later { self.beginRest() }
    }

    /// Goes on where it was. The delegate is not called inside this call.
    func resume() {
        guard rest.isOn, state != .over else { return }
        rest.isOn = false
        noteActivity()
        transport.later { self.endRest() }
        transport.scheduleTimeoutCheck(of: self)
    }

    private func beginRest() {
        guard rest.isOn else { return }
        if !state.isWithLibcurl || sent.requests == 0 { apply(.suspend) }
        // An unwanted body is read to its end, of which nothing is told.
        guard state.isWithLibcurl, state != .discarding else { return }
        pauses.isReceiving = true
        pauses.isSending = true
        transport.pause(self)
    }

    private func endRest() {
        guard !rest.isOn, !apply(.resume) else { return }
        if let end = rest.end.take() { return ended(end) }
        if state == .exchanging, let head = reception.held, !mayBeFollowed(head) { showHeldHead() }
        // What a callback of libcurl's would refuse with its result.
        if let failure { return _ = apply(.fail, failure) }
        if state == .delivering || state == .draining || pauses.isReceiving || pauses.isSending {
            continueIfPossible()
        }
    }

    // MARK: From libcurl

    /// Whether the exchange rests instead of going on to its request; it leaves libcurl then.
    ///
    /// - Parameter isFirst: whether nothing was sent. A request that libcurl repeats by itself goes out,
    ///   and its response rests.
    func rests(beforeRequest isFirst: Bool) -> Bool {
        guard rest.isOn, isFirst else { return false }
        sent.requests = 0
        interruption = .suspension
        return true
    }

    /// Whether libcurl's end of the exchange is kept until the exchange goes on.
    func rests(at end: TransferRest.End) -> Bool {
        guard rest.isOn, state != .discarding else { return false }
        if sent.requests == 0, apply(.suspend) { return true }
        rest.end = end
        return true
    }
}
