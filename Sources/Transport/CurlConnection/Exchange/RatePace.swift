/// How long a limit for the rate may keep libcurl from looking for more, in one direction.
///
/// libcurl takes or gives at once what the socket has, which may be megabytes, and then nothing until the average
/// fits. It begins its average anew now and then; this sum is never less than what follows from that.
struct RatePace {
    /// When the average fits at the latest, by the clock of limits.
    private(set) var owedUntil: UInt64 = 0

    /// - Parameter rate: bytes a second; libcurl is given at least 1.
    mutating func moved(_ bytes: Int64, at rate: Int64, now: UInt64) {
        let seconds = min(Double(bytes) / Double(max(1, rate)), 1e9)
        owedUntil = clamping(max(owedUntil, now), plus: UInt64(seconds * 1e9))
    }
}

/// A moment and a span; the last moment where the sum is too large.
func clamping(_ moment: UInt64, plus span: UInt64) -> UInt64 {
    let (sum, isTooLarge) = moment.addingReportingOverflow(span)
    return isTooLarge ? .max : sum
}
