/// Up to which byte an operation has called its progress blocks; a caller may set one after the first bytes.
///
/// The original read the block on main, so a block that main set right after it had enqueued the operation was called
/// for every piece (PR-1). Here the next call, or one at the end, counts the bytes from before the block was set.
///
/// ## Concurrency
/// Call from: the network thread. Lock: none.
struct ToldBytes {
    /// How many bytes of the request's body were sent, and how many it has, as the connection reported last.
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

    /// The bytes of the request's body that were sent since the last call.
    mutating func takeSent() -> Int64 {
        defer { toldSent = sent }
        return sent - toldSent
    }

    /// The bytes of the response's body that were stored since the last call, up to a total.
    mutating func takeReceived(upTo total: Int64) -> Int64 {
        defer { toldReceived = total }
        return max(0, total - toldReceived)
    }
}
