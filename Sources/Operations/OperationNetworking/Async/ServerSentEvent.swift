/// An event of an event stream (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The stream's `event` field; `message` where it has none.
    public var type: String
    /// The `data` fields, one a line.
    public var data: String
    /// The last `id` field so far, also of an earlier event; empty before the first, and after an empty
    /// one. Who connects again sends it as `Last-Event-ID`.
    public var lastEventID: String
    /// The last `retry` field so far: how long to wait before connecting again; nil before the first.
    public var reconnectionTime: Duration?

    /// Makes an event.
    public init(
        type: String = "message", data: String, lastEventID: String = "",
        reconnectionTime: Duration? = nil
    ) {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
        self.reconnectionTime = reconnectionTime
    }
}
