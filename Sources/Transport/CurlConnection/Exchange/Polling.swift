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

/// The directions in which libcurl is paused.
struct TransferPauses {
    var isReceiving = false
    var isSending = false
    /// libcurl passes on what it kept in a pause, which has come before.
    var isEnding = false
}
