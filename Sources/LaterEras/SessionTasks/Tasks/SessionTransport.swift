/// What carries the tasks of a session: `URLConnection` on the network thread, with libcurl.
public enum SessionTransport: Sendable {
    /// The only one.
    case connection

    /// Foundation's `URLSession`, which carried tasks in an earlier version.
    @available(
        *, unavailable,
        message: """
            Every task runs on URLConnection. For a mock of URLProtocol set protocolClasses of the configuration; \
            for Foundation's own behaviour use URLSession.
            """
    )
    public static var foundation: SessionTransport { .connection }
}
