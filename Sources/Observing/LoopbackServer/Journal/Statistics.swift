/// What the server has counted so far.
///
/// A request is in flight from its complete head until the last step of its response has been
/// given to the kernel, or until its client disconnects.
public struct Statistics: Sendable, Equatable {
    /// Requests whose head was complete.
    public internal(set) var requests = 0
    /// Requests whose response is not sent yet.
    public internal(set) var inFlight = 0
    /// The most requests that were in flight at once.
    public internal(set) var peakInFlight = 0
    /// Requests whose client disconnected, or that `stop` ended, before the response was complete, and
    /// those with a malformed body.
    public internal(set) var abandoned = 0
    /// Heads or bodies that were not HTTP or were not accepted; the server sent an error status and closed.
    public internal(set) var malformed = 0
    /// Connections accepted.
    public internal(set) var connectionsAccepted = 0
    /// Connections open now.
    public internal(set) var connectionsOpen = 0
    /// The most connections that were open at once.
    public internal(set) var peakConnections = 0
    /// Completed TLS handshakes.
    public internal(set) var handshakes = 0
    /// How many of them resumed a session.
    public internal(set) var resumedHandshakes = 0
    /// TLS handshakes that failed, or whose connection was closed before their end.
    public internal(set) var failedHandshakes = 0
    /// Bytes given to the kernel, heads included; over TLS, before they were encrypted.
    public internal(set) var bytesSent: Int64 = 0
    /// Bytes taken from the kernel, heads included; over TLS, after they were decrypted.
    public internal(set) var bytesReceived: Int64 = 0

    /// Counters at zero.
    public init() {}

    /// With the totals at zero and the peaks at the present values.
    func restarted() -> Statistics {
        var fresh = Statistics()
        fresh.inFlight = inFlight
        fresh.peakInFlight = inFlight
        fresh.connectionsOpen = connectionsOpen
        fresh.peakConnections = connectionsOpen
        return fresh
    }
}
