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
struct ConsumerWait {
    /// Whether it had bytes left when it was asked last.
    var isOn = false
    /// Whether a load without a transfer waits for it.
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
        // A delegate signals once, so the signal is kept while the load is suspended.
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
        if isOver || !takes(.demand) { return true }
        let hadNoLimit = waitsWithoutLimit
        let waiting = delegate?.connectionBytesNotConsumed(self) ?? 0
        if isOver { return true }
        consumerWait.isOn = waiting > 0
        // The delegate may have suspended the connection when it was asked.
        guard takes(.demand) else { return true }
        if waiting > 0, consumer == .polled {
            pollSoon(waiting)
        } else if consumerWait.polling.fell(to: waiting) {
            noteActivity()
        }
        if hadNoLimit, !waitsWithoutLimit {
            noteActivity()
            if let transfer { transfer.transport.scheduleTimeoutCheck(of: transfer) }
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

    /// What follows depends on the state alone, so that a later wait cannot replace the end of an earlier one.
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

/// When to ask a stream that has no bytes, or a delegate that has bytes left, again: after 1, 2, 4 … 64 ms.
///
/// Foundation's streams on Linux send no events. They are asked only while a load waits for them.
struct Polling {
    /// When to ask next, in nanoseconds of the system's monotonic clock; nil while nothing is asked.
    private(set) var next: UInt64?
    private var interval = Polling.shortest
    private var waitingBefore = 0

    private static let shortest: UInt64 = 1_000_000
    private static let longest: UInt64 = 64_000_000

    /// Whether it is time to ask; then `next` must be set anew.
    mutating func isDue(at now: UInt64) -> Bool {
        guard let moment = next, moment <= now else { return false }
        next = nil
        return true
    }

    /// Waits once more, longer than before.
    ///
    /// - Parameter waiting: the bytes that are not consumed yet; nil where the request's body is asked.
    /// - Returns: whether some were consumed since the last time, which makes the wait short again.
    mutating func again(waiting: Int?) -> Bool {
        let didMove = waiting.map { fell(to: $0) } ?? false
        if didMove {
            interval = Self.shortest
        }
        next = MonotonicClock.now + interval
        interval = min(interval * 2, Self.longest)
        return didMove
    }

    /// Notes the bytes that are not consumed yet.
    ///
    /// - Returns: whether some were consumed since the last time.
    mutating func fell(to waiting: Int) -> Bool {
        defer { waitingBefore = waiting }
        return waiting < waitingBefore
    }

    /// Bytes moved: the next wait is a short one.
    mutating func restart() {
        interval = Self.shortest
        waitingBefore = 0
    }
}
