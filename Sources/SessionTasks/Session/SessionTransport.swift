/// What carries the tasks of a session.
public enum SessionTransport: Sendable {
    /// `URLConnection` on the network thread.
    case connection
    /// Foundation's `URLSession`.
    case foundation
}
