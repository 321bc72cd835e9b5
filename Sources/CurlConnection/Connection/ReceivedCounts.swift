import Foundation

/// How many bytes a response's body has on the wire.
///
/// ## Concurrency
/// Call from: the connection's thread. Lock: none.
struct ReceivedCounts {
    /// As the head announces it, before decoding; -1 where it does not.
    private(set) var expected: Int64 = -1
    private var ended: Int64 = 0

    init() {}

    /// Of a stored response, or a local one, whose length may be unknown (-1).
    init(whole count: Int) {
        (expected, ended) = (Int64(count), Int64(max(0, count)))
    }

    /// A piece of a local response was read.
    mutating func read(_ count: Int) {
        if expected < 0 { ended += Int64(count) }
    }

    /// Reads the head of the response.
    mutating func expect(_ head: ResponseHead, to method: String?) {
        ended = 0
        expected = method == "HEAD" ? 0 : head.announcedLength ?? -1
    }

    /// What was received so far.
    func received(_ transfer: Transfer?) -> Int64 {
        transfer?.measured.times.receivedBody ?? ended
    }

    /// The exchange is over.
    mutating func end(_ transfer: Transfer?) {
        ended = received(transfer)
    }
}

extension URLConnection {
    /// Bytes of the response's body received so far, before decoding and without the transfer coding.
    ///
    /// That of a response from the cache is its stored body's length. 0 before the response.
    package var countOfBytesReceived: Int64 { counts.received(transfer) }

    /// Bytes that the response's body has before decoding, as its head announces; -1 where it is unknown,
    /// and 0 where there is no body. From the response on.
    package var countOfBytesExpectedToReceive: Int64 { counts.expected }
}
