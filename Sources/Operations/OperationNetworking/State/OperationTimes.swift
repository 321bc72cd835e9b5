import CurlConnection

/// The times of an operation: of the runs that have ended, and what came before and after.
///
/// Made at the start, outside of the operation: thousands may wait.
///
/// ## Concurrency
/// Call from: any thread. Lock: the operation's.
final class OperationTimes {
    /// Unchecked for speed: no method of it calls out.
    @exclusivity(unchecked)
    var metrics = RequestMetrics()
}
