import Foundation

// A load that is suspended: the delegate is not called, and what is under way goes on where it was.

extension URLConnection {
    /// The delegate is not called, and nothing is received, until `resume`; before `start` too. Reentrant.
    ///
    /// A request that was sent keeps its connection, whose socket is not read: the server sees
    /// back-pressure, and after `resume` the response goes on where it was. It counts among those that
    /// use connections (`httpMaximumConnectionsPerHost`). A request that was not sent is
    /// not sent meanwhile, and keeps no other waiting. The request's `timeoutInterval` does
    /// not run; the limit for the whole load does, and fails the connection. An answer to a question is kept.
    package func suspend() {
        guard !isOver, suspension.phase != .on else { return }
        suspension.phase = .on
        if let transfer, let transport {
            // libcurl may be calling, and can be paused only outside of that.
            transport.later { transfer.pauseWhileSuspended() }
        }
        watchDeadline()
    }

    /// Goes on after `suspend`; the delegate is not called inside this call. Reentrant.
    package func resume() {
        guard suspension.phase == .on else { return }
        // The time before it does not count.
        noteActivity()
        guard !isOver, transfer != nil || !suspension.held.isEmpty else {
            suspension.phase = .off
            return
        }
        suspension.phase = .resuming
        readyTransport()?.later { self.goOn() }
    }

    /// Whether it is suspended.
    package var isSuspended: Bool { suspension.phase == .on }

    /// What becomes of what comes now; only here a suspended load differs.
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
        noteActivity()
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
struct TransferResult {
    var code: CurlCode
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
        if let result = keptResult.take() { return ended(result) }
        if state == .exchanging, let head = reception.held, !mayBeFollowed(head) { showHeldHead() }
        // What a callback of libcurl's would refuse with its result.
        if let failure { return _ = apply(.fail, failure) }
        continueIfPossible()
    }

    // MARK: From libcurl

    /// Whether it leaves libcurl instead of sending its request.
    ///
    /// - Parameter isFirst: whether nothing was sent before.
    func leaves(beforeRequest isFirst: Bool) -> Bool {
        guard meanwhile(isFirst ? .request : .repeatedRequest) == .becomesUnsent else {
            return false
        }
        sent.requests = 0
        interruption = .suspension
        return true
    }

    /// Whether libcurl's end of the exchange is kept until it goes on, or the exchange leaves.
    func keeps(_ result: TransferResult) -> Bool {
        switch meanwhile(sent.requests == 0 ? .resultUnsent : .result) {
        case .goesOn: return false
        case .becomesUnsent: apply(.suspend)
        default: keptResult = result
        }
        return true
    }
}

// Back-pressure: a delegate that has not consumed its bytes gets no more.

/// How a load learns that its delegate has consumed bytes.
package enum Consumer: Sendable, Equatable {
    /// It asks after a while: not every delegate signals, and Foundation's streams have no events on Linux.
    case polled
    /// It waits for `continueReceiving`, without a timer.
    ///
    /// - Parameter isLimited: whether the request's `timeoutInterval` runs meanwhile.
    case signals(isLimited: Bool)
}

/// A delegate that has bytes left.
///
/// ## Concurrency
/// Call from: the connection's thread. Lock: none.
struct ConsumerWait {
    /// Whether it had bytes left when it was asked last.
    var isOn = false
    /// Whether a load without a transfer goes on then.
    var holdsLoad = false
    var polling = Polling()
}

extension URLConnection {
    /// Whether the whole response is there, so that the delegate's last bytes are all that is waited for.
    package var hasReceivedAll: Bool {
        guard question == nil else { return false }
        return state == .serving || transfer?.hasDeliveredAll == true
    }

    /// The delegate has consumed bytes, or changed `consumer`; it is asked again, but not inside this call.
    package func continueReceiving() {
        guard !isOver, let transport else { return }
        transport.later { self.askAgain() }
    }

    /// Goes on where the delegate, or the body's stream, is ready.
    func askAgain() {
        guard !isOver else { return }
        guard consumerWait.holdsLoad else {
            transfer?.continueIfPossible()
            return
        }
        consumerWait.holdsLoad = false
        // A delegate signals once, so it counts.
        if takes(.step) { goOnOnceConsumed() } else { hold { self.goOnOnceConsumed() } }
    }

    /// At the idle limit: the delegate may have consumed its bytes and not signalled.
    func askAtIdleLimit() {
        guard consumerWait.isOn, !isConsumerBehind() else { return }
        noteActivity()
        continueReceiving()
    }

    /// Asks whether the delegate has bytes left; true also where the load is over or suspended by then. Where it has, it
    /// signals when it has consumed some, or is asked again.
    func isConsumerBehind() -> Bool {
        if isOver || !takes(.room) { return true }
        let hadNoLimit = waitsWithoutLimit
        let waiting = delegate?.connectionBytesNotConsumed(self) ?? 0
        if isOver { return true }
        consumerWait.isOn = waiting > 0
        // The delegate may have suspended the connection when it was asked.
        guard takes(.room) else { return true }
        if waiting > 0, consumer == .polled {
            pollSoon(waiting)
        } else if consumerWait.polling.fell(to: waiting) {
            noteActivity()
        }
        if hadNoLimit, !waitsWithoutLimit {
            noteActivity()
            transfer?.scheduleTimeoutCheck()
        }
        return waiting > 0
    }

    /// Asks again after a while, sooner where the delegate consumed some bytes.
    func pollSoon(_ waiting: Int? = nil) {
        if consumerWait.polling.again(waiting: waiting) { noteActivity() }
        readyTransport()?.schedulePoll(of: self)
    }

    /// Whether the delegate has bytes left, and may take its time.
    var waitsWithoutLimit: Bool {
        consumerWait.isOn && consumer == .signals(isLimited: false)
    }

    /// Something was received, sent or read, or the delegate consumed something.
    func noteActivity() {
        lastActivity = configuration.clock.nanoseconds
    }

    /// Goes on once the delegate has consumed every byte, where there is no transfer; at once where it has.
    func goOnOnceConsumed() {
        guard !isOver else { return }
        if takes(.step), !isConsumerBehind() { goOnConsumed() } else { waitForConsumer() }
    }

    /// The state alone says what follows, so that no later wait takes the end from an earlier one.
    private func goOnConsumed() {
        switch state {
        case .serving: succeed()
        case .reading: classLoad == nil ? readNext() : deliverEvents()
        default: break
        }
    }

    /// Waits for a delegate that was asked and has bytes left, or for a load that is suspended.
    func waitForConsumer() {
        guard !isOver else { return }
        guard takes(.step) else {
            return hold {
                self.noteActivity()
                self.goOnOnceConsumed()
            }
        }
        consumerWait.holdsLoad = true
        watchTime()
    }
}
