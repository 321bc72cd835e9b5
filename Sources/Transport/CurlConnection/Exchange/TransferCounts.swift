/// How much of the requests of one exchange has gone out.
struct SentCount {
    /// How often the request was about to be sent; more than once where libcurl repeats it.
    var requests = 0
    /// Bytes of the body that libcurl has and that were not reported to the delegate.
    private(set) var unreported: Int64 = 0
    /// Bytes of the body that were reported to the delegate.
    private(set) var total: Int64 = 0

    /// At most so many are reported at once, as NSURLConnection did.
    private static let pieceLimit: Int64 = 32_768

    /// libcurl was given bytes of the body.
    mutating func give(_ count: Int) {
        unreported = Int64(count)
    }

    /// Counts the next piece of these bytes as reported.
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

/// How much is read of a body that the delegate does not want, so that the connection can be kept.
struct DiscardLimit {
    private var count = 0
    /// When reading ends.
    private(set) var deadline: UInt64?

    private static let byteLimit = 65_536
    private static let timeLimit: UInt64 = 1_000_000_000

    mutating func begin(at now: UInt64) {
        deadline = now + Self.timeLimit
    }

    /// - Returns: whether more is read.
    mutating func take(_ bytes: Int) -> Bool {
        count += bytes
        return count <= Self.byteLimit
    }
}
