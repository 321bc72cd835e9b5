/// How much of the requests of one exchange has gone out.
struct SentCount {
    /// How often a request was about to go out; more than once when libcurl repeats it.
    var requests = 0
    /// Bytes of the body that libcurl has and that were not reported.
    private(set) var unreported: Int64 = 0
    /// Bytes of the body that were reported.
    private(set) var total: Int64 = 0

    /// However much the socket took at once, a delegate hears of at most 32 KiB at a time, as the
    /// original's did.
    private static let pieceLimit: Int64 = 32_768

    mutating func hand(over count: Int) {
        unreported = Int64(count)
    }

    /// Takes the next piece of so many bytes for reported.
    mutating func report(of bytes: Int64) -> Int64 {
        let piece = min(bytes, Self.pieceLimit)
        unreported -= piece
        total += piece
        return piece
    }

    /// The body is sent anew.
    mutating func rewind() {
        unreported = 0
        total = 0
    }
}

/// How much is read of a body that nobody wants, for the sake of the connection.
struct DiscardLimit {
    private var count = 0
    /// When it is no longer worth it.
    private(set) var deadline: UInt64?

    private static let byteLimit = 65_536
    private static let timeLimit: UInt64 = 1_000_000_000

    mutating func begin() {
        deadline = MonotonicClock.now + Self.timeLimit
    }

    /// - Returns: whether it is worth reading more.
    mutating func take(_ bytes: Int) -> Bool {
        count += bytes
        return count <= Self.byteLimit
    }
}
