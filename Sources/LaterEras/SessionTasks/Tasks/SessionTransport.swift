/// What carries the tasks of a session.
public enum SessionTransport: Sendable {
    /// `URLConnection` on the network thread, with libcurl. On Linux it is what a manager has when
    /// nothing else is said.
    case connection
    /// Foundation's `URLSession`, with its limits on Linux.
    case foundation
}
