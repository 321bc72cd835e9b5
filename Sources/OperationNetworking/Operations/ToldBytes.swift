/// Up to which byte progress blocks were told, where one may be set when bytes have gone already.
///
/// The original read the block on main, so one that was set there right after the operation was enqueued missed
/// nothing (PR-1). Here it is told of what it missed with the next piece, or at the end.
///
/// ## Concurrency
/// Call from: the network thread. Lock: none.
struct ToldBytes {
    /// How many of the request's body have gone, and how many it has, as the connection reported last.
    private(set) var sent: Int64 = 0
    private(set) var toSend: Int64 = -1
    private var toldSent: Int64 = 0
    private var toldReceived: Int64 = 0

    /// A run begins to send.
    mutating func beginSending() {
        (sent, toldSent) = (0, 0)
    }

    /// A response begins behind so many bytes of an earlier one.
    mutating func beginReceiving(at stored: Int64) {
        toldReceived = stored
    }

    /// - Parameter count: of the piece; a body that is sent again begins a new total.
    mutating func noteSent(_ count: Int64, upTo total: Int64, of expected: Int64) {
        if total - count < sent { toldSent = total - count }
        (sent, toSend) = (total, expected)
    }

    /// How many bytes of the request's body a block must be told of, up to the last.
    mutating func takeSent() -> Int64 {
        defer { toldSent = sent }
        return sent - toldSent
    }

    /// How many bytes of the response's body a block must be told of, up to a total.
    mutating func takeReceived(upTo total: Int64) -> Int64 {
        defer { toldReceived = total }
        return max(0, total - toldReceived)
    }
}
