/// When to ask again somebody who cannot say when he is ready: after 1, 2, 4 … 64 ms.
///
/// Foundation's streams on Linux send no events, so a consumer without room and a body without
/// bytes have to be asked; only while something rests.
struct Polling {
    /// The next moment, in nanoseconds of the monotonic clock; nil while nobody is waited for.
    private(set) var next: UInt64?
    private var interval = Polling.shortest
    private var waitingBefore = 0

    private static let shortest: UInt64 = 1_000_000
    private static let longest: UInt64 = 64_000_000

    /// Whether it is time; then the next moment must be set anew.
    mutating func isDue(at now: UInt64) -> Bool {
        guard let moment = next, moment <= now else { return false }
        next = nil
        return true
    }

    /// Waits once more, longer than before.
    ///
    /// - Parameter waiting: the bytes the consumer has no place for yet.
    /// - Returns: whether he took some since the last time, which makes the wait short again.
    mutating func again(waiting: Int) -> Bool {
        let didMove = waiting < waitingBefore
        if didMove {
            interval = Self.shortest
        }
        waitingBefore = waiting
        next = MonotonicClock.now + interval
        interval = min(interval * 2, Self.longest)
        return didMove
    }

    /// Something moved: the next wait is a short one.
    mutating func restart() {
        interval = Self.shortest
        waitingBefore = 0
    }
}

/// The directions in which libcurl was told to pause, and when to ask again whether it may go on.
struct TransferPauses {
    var isReceiving = false
    var isSending = false
    var polling = Polling()
}
