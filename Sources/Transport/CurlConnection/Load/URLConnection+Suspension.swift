import Foundation

// A load that is suspended: nothing is told, and what is under way goes on where it was.

extension URLConnection {
    /// Stops what is told and received, until `resume`; before `start` too. Reentrant.
    ///
    /// A request that was sent keeps its connection, whose socket is not read: the server sees
    /// back-pressure, and after `resume` the response goes on where it was. Its place among those that
    /// use connections (`httpMaximumConnectionsPerHost`) stays taken. A request that was not sent is
    /// not sent meanwhile, and keeps nobody else waiting. The request's `timeoutInterval` does
    /// not run; the limit for the whole load does, and fails the connection. The delegate hears nothing
    /// else. An answer to a question is kept.
    package func suspend() {
        guard !isOver, suspension.phase != .on else { return }
        suspension.phase = .on
        if let transfer, let transport {
            // libcurl, which may be calling, can be told only outside.
            transport.later { transfer.pauseWhileSuspended() }
        }
        watchDeadline()
    }

    /// Goes on after `suspend`; the delegate is not called inside this call. Reentrant.
    package func resume() {
        guard suspension.phase == .on else { return }
        guard !isOver, transfer != nil || !suspension.held.isEmpty else {
            suspension.phase = .off
            return
        }
        suspension.phase = .resuming
        readyTransport()?.later { self.goOn() }
    }

    /// Whether it is suspended.
    package var isSuspended: Bool { suspension.phase == .on }

    /// What becomes of what comes now: the one place where a suspended load differs.
    @inline(__always)
    func meanwhile(_ arrival: Load.Arrival) -> Load.Meanwhile {
        suspension.phase == .off ? .goesOn : state.meanwhile(arrival)
    }

    @inline(__always)
    func takes(_ arrival: Load.Arrival) -> Bool { meanwhile(arrival) == .goesOn }

    /// Keeps a job until the connection is resumed; it is dropped when the load ends before.
    func hold(_ job: @escaping () -> Void) {
        suspension.held.append(job)
        watchDeadline()
    }

    private func goOn() {
        guard suspension.phase == .resuming, !isOver else { return }
        suspension.phase = .off
        transfer?.goOnAfterSuspension()
        // Each may suspend it again.
        while suspension.phase == .off, !isOver, !suspension.held.isEmpty {
            suspension.held.removeFirst()()
        }
    }
}

// The transfer of a suspended load. One whose request was not sent leaves libcurl (`Load.unsent`); otherwise libcurl
// is paused both ways, and what comes all the same is kept.

/// How libcurl ended a transfer.
struct TransferEnd {
    var result: CurlCode
    /// `Transfer.lostEnd` when libcurl said so.
    var lost: URLError?
}

extension Transfer {
    func meanwhile(_ arrival: Load.Arrival) -> Load.Meanwhile {
        load?.meanwhile(arrival) ?? .isIgnored
    }

    func takes(_ arrival: Load.Arrival) -> Bool { meanwhile(arrival) == .goesOn }

    fileprivate func pauseWhileSuspended() {
        guard load?.suspension.phase == .on else { return }
        if !state.isWithLibcurl || sent.requests == 0 { apply(.suspend) }
        guard state.isWithLibcurl, !takes(.bytes) else { return }
        pauses.isReceiving = true
        pauses.isSending = true
        transport.pause(self)
    }

    fileprivate func goOnAfterSuspension() {
        guard state != .over else { return }
        noteActivity()
        transport.scheduleTimeoutCheck(of: self)
        guard !apply(.resume) else { return }
        if let end = keptEnd.take() { return ended(end) }
        if state == .exchanging, let head = reception.held, !mayBeFollowed(head) { showHeldHead() }
        // What a callback of libcurl's would refuse with its result.
        if let failure { return _ = apply(.fail, failure) }
        if state == .delivering || state == .draining || pauses.isReceiving || pauses.isSending {
            continueIfPossible()
        }
    }

    // MARK: From libcurl

    /// Whether it leaves libcurl instead of sending its request.
    ///
    /// - Parameter isFirst: whether nothing was sent before.
    func leaves(beforeRequest isFirst: Bool) -> Bool {
        guard meanwhile(isFirst ? .request : .repeatedRequest) == .leaves else { return false }
        sent.requests = 0
        interruption = .suspension
        return true
    }

    /// Whether libcurl's end of the exchange is kept until it goes on, or the exchange leaves.
    func keeps(_ end: TransferEnd) -> Bool {
        switch meanwhile(sent.requests == 0 ? .endUnsent : .end) {
        case .goesOn: return false
        case .leaves: apply(.suspend)
        default: keptEnd = end
        }
        return true
    }
}

// Back-pressure: a delegate that has bytes left gets no more until it has room.

/// How a load learns that its delegate has room again.
package enum Consumer: Sendable, Equatable {
    /// It asks after a while: not every delegate tells, and Foundation's streams have no events on Linux.
    case polled
    /// It waits for `continueReceiving`.
    ///
    /// - Parameter isLimited: whether the request's `timeoutInterval` runs meanwhile.
    case signals(isLimited: Bool)
}

/// What goes on once the delegate has taken the bytes that it has.
///
/// ## Concurrency
/// Call from: the connection's thread. Lock: none.
struct ConsumerWait {
    var block: (() -> Void)?
    /// Of the wait under way.
    var number = 0
}

extension URLConnection {
    /// Whether the whole response is there, so that the delegate's last bytes are all that is waited for.
    package var hasReceivedAll: Bool {
        guard question == nil else { return false }
        return state == .serving || transfer?.hasDeliveredAll == true
    }

    /// The delegate has taken bytes, and may be asked for more at once.
    package func consumerTook() {
        guard !isOver, takes(.room) else { return }
        if let block = consumerWait.block {
            consumerWait.block = nil
            return block()
        }
        guard let transfer, let transport else { return }
        transport.later { transfer.pollAtOnce() }
    }

    /// The delegate has room, or less that waits; it is asked again, but not inside this call.
    package func continueReceiving() {
        guard !isOver, let transport else { return }
        transport.later { self.goOnWithRoom() }
    }

    private func goOnWithRoom() {
        guard !isOver else { return }
        if let block = consumerWait.block.take() {
            // A delegate tells once, so it counts.
            return takes(.step) ? block() : hold(block)
        }
        if state == .delivering || state == .draining { transfer?.continueIfPossible() }
    }

    /// Whether the delegate has had no room for a while, which is no idleness of anybody's.
    var waitsWithoutLimit: Bool {
        consumerWait.block != nil && consumer == .signals(isLimited: false)
    }

    /// Goes on when the delegate has taken bytes, or after a while, since not every delegate tells.
    func waitForConsumer(_ goOn: @escaping () -> Void) {
        consumerWait.number += 1
        let number = consumerWait.number
        consumerWait.block = goOn
        guard consumer != .signals(isLimited: false) else { return watchDeadline() }
        later(after: 0.02) {
            guard self.consumerWait.number == number, let block = self.consumerWait.block else {
                return
            }
            self.consumerWait.block = nil
            guard self.takes(.step) else { return self.hold(block) }
            block()
        }
    }
}
