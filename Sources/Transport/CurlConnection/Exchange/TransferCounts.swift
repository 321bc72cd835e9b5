/// How often libcurl sends the request of one exchange, and how much of its body was sent.
struct SentCount {
    /// How often libcurl was about to send the request; more than once where libcurl repeats it by itself.
    var requests = 0
    /// Bytes of the body that libcurl has taken, and that no delegate call has reported yet.
    private(set) var unreported: Int64 = 0
    /// Bytes of the body that delegate calls have reported.
    private(set) var total: Int64 = 0

    /// The most bytes that one delegate call reports, as in NSURLConnection.
    private static let pieceLimit: Int64 = 32_768

    /// Notes the size of the piece that libcurl has taken; the pieces before it were reported.
    mutating func take(_ count: Int) {
        unreported = Int64(count)
    }

    /// Marks the bytes of one delegate call as reported.
    ///
    /// - Parameter bytes: how many bytes the caller still has to report; at most `pieceLimit` of them in this call.
    /// - Returns: the bytes of this call.
    mutating func report(of bytes: Int64) -> Int64 {
        let piece = min(bytes, Self.pieceLimit)
        unreported -= piece
        total += piece
        return piece
    }

    /// Counts from 0 again, because the body is sent again from its first byte.
    mutating func rewind() {
        unreported = 0
        total = 0
    }
}

/// The most that is read of a response body that is not needed: 64 KiB, for a second. The delegate has rejected it, or
/// the load follows a redirect, answers a challenge or sends the request again.
///
/// A connection can be reused only when the body was read to its end. If one of the limits comes first, the connection
/// is closed.
struct DiscardLimit {
    private var count = 0
    /// The time in nanoseconds after which no more of the body is read; nil before `begin`.
    private(set) var deadline: UInt64?

    private static let byteLimit = 65_536
    private static let timeLimit: UInt64 = 1_000_000_000

    mutating func begin(at now: UInt64) {
        deadline = now + Self.timeLimit
    }

    /// - Returns: whether more may be read after these bytes.
    mutating func take(_ bytes: Int) -> Bool {
        count += bytes
        return count <= Self.byteLimit
    }
}
