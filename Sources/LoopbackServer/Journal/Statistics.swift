/// What the server has counted so far.
///
/// A request is in flight from its complete head until the last step of its answer has been
/// given to the kernel, or until its client leaves.
public struct Statistics: Sendable, Equatable {
    /// Requests whose head was complete.
    public internal(set) var requests = 0
    /// Requests being answered now.
    public internal(set) var inFlight = 0
    /// The most requests that were in flight at once.
    public internal(set) var peakInFlight = 0
    /// Requests whose client left, or that `stop` cut, before the answer ended.
    public internal(set) var abandoned = 0
    /// Heads or bodies that were not HTTP; each was answered with an error and a close.
    public internal(set) var malformed = 0
    /// Connections accepted.
    public internal(set) var connectionsAccepted = 0
    /// Connections open now.
    public internal(set) var connectionsOpen = 0
    /// The most connections that were open at once.
    public internal(set) var peakConnections = 0
    /// TLS handshakes that ended well.
    public internal(set) var handshakes = 0
    /// Of those, the ones that took up an earlier session.
    public internal(set) var resumedHandshakes = 0
    /// TLS handshakes that did not end well; a connection closed before is one of them.
    public internal(set) var failedHandshakes = 0
    /// Bytes given to the kernel, heads included; over TLS, before they were encrypted.
    public internal(set) var bytesSent: Int64 = 0
    /// Bytes taken from the kernel, heads included; over TLS, after they were decrypted.
    public internal(set) var bytesReceived: Int64 = 0

    /// Counters at zero.
    public init() {}

    /// The same with the totals at zero and the peaks at the present values.
    func restarted() -> Statistics {
        var fresh = Statistics()
        fresh.inFlight = inFlight
        fresh.peakInFlight = inFlight
        fresh.connectionsOpen = connectionsOpen
        fresh.peakConnections = connectionsOpen
        return fresh
    }
}
