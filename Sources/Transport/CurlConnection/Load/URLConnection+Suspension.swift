import Foundation

/// Whether a load is suspended, and what was kept meanwhile.
///
/// `suspend()` leads from each phase to `on`. `resume()` leads from `on` to `resuming`, or, where there is neither a
/// transfer nor anything held, to `off`. From `resuming` the run loop leads to `off`, and then does what was held.
struct LoadSuspension {
    enum Phase {
        case off, on
        /// It was resumed a moment ago. Until the run loop calls, everything is as while it is suspended, so that
        /// what comes now does not overtake what is held.
        case resuming
    }

    var phase = Phase.off
    /// What is done when the load goes on, in the order in which it came. If one of them suspends the load again, the rest
    /// stays, before what comes later.
    var held: [() -> Void] = []
}

// A load that is suspended: the delegate is not called, and what is under way goes on where it was.

extension URLConnection {
    /// The delegate is not called, and nothing is received, until `resume`. It may be called before `start`. Reentrant.
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
    /// `Transfer.lostEnd` when libcurl reported the end.
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
        load?.noteActivity()
        transport.scheduleTimeoutCheck(of: self)
        guard !apply(.resume) else { return }
        if let result = keptResult.take() { return ended(result) }
        if state == .exchanging, let head = reception.held, !mayBeFollowed(head) { showHeldHead() }
        // `showHeldHead` has failed. In a callback of libcurl's the callback's result would end the transfer.
        if let failure { return _ = apply(.fail, failure) }
        // A `nextAddress` may have been ignored if the load was suspended for a moment only.
        if interruption == nil { tryNextAddress() }
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
