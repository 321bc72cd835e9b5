/// One event: an instant, or one end of a span. 40 bytes, nothing on the heap.
public struct Event: Sendable, Hashable, Codable {
    /// Nanoseconds of the system's monotonic clock, the same for all processes of a machine.
    public var time: UInt64
    /// The subject: the number of an operation, connection, task, block or lock; 0 for none.
    public var subject: UInt64
    /// A number whose meaning depends on the kind: bytes, depth, HTTP status, file descriptor.
    public var value: Int64
    /// A name or a URL, by its number in the recording's texts.
    public var text: EventText
    /// The thread it happened on, by its kernel id.
    public var thread: UInt32
    /// What happened.
    public var kind: Kind
    /// An instant, or the begin or end of a span.
    public var phase: Phase

    /// Makes an event; the recorder makes its own.
    public init(
        time: UInt64, subject: UInt64 = 0, value: Int64 = 0, text: EventText = .none,
        thread: UInt32 = 0, kind: Kind, phase: Phase = .instant
    ) {
        self.time = time
        self.subject = subject
        self.value = value
        self.text = text
        self.thread = thread
        self.kind = kind
        self.phase = phase
    }

    /// Whether an event stands alone or is one end of a span (see ``Recording/pairs()``).
    public enum Phase: UInt8, Sendable, CaseIterable, Codable {
        case instant, begin, end
    }

    /// What happened. The numbers never change; the comments say what subject, value and text are.
    public enum Kind: UInt16, Sendable, CaseIterable, Codable {
        /// Instant. An operation changes its state; value: state before × 256 + state after; text:
        /// "ready → executing".
        case operationState = 1
        /// Span. An operation from `start` to finished; text: method and URL.
        case operation = 2
        /// Span, on one thread. Waiting for an operation's lock; subject: the operation.
        case lockWait = 3
        /// Span, on one thread. Holding an operation's lock; value: depth after locking or before
        /// unlocking (1, 2, …).
        case lockHold = 4
        /// Span, on one thread. A run loop asleep.
        case runLoopSleep = 5
        /// Instant. What a run loop handles after it woke; text: "sockets", "timer", "jobs".
        case runLoopSource = 6
        /// Instant. A run loop begins to run in a mode; text: the mode.
        case runLoopMode = 7
        /// Instant. A block is submitted to a queue; subject: the block; text: the queue's label.
        case queueSubmit = 8
        /// Span, on one thread. A block runs; subject: the block; text: the queue's label.
        case queueRun = 9
        /// Span, on one thread. A delegate method; text: its name.
        case delegateCall = 10
        /// Span, on one thread. The caller's block; text: what it is for, such as "success",
        /// "failure", "progress" or "completion".
        case callback = 11
        /// Span. A socket from connecting to closed; subject: the socket's number in the recording;
        /// value: descriptor; text: address and port of the peer, once it is connected.
        case socket = 12
        /// Span. TCP connect, after the name look-up; subject: the socket.
        case connecting = 13
        /// Span. The TLS handshake; subject: the socket.
        case handshake = 14
        /// Span. One exchange on the wire; subject: the transfer; value at its beginning: the
        /// socket's number, at its end: HTTP status; text: method and URL.
        case transfer = 15
        /// Instant. A response's header was received; subject: the transfer; value: HTTP status.
        case responseHead = 16
        /// Instant. Body bytes were received; subject: the transfer; value: bytes.
        case bytesReceived = 17
        /// Instant. Body bytes were passed on for sending; subject: the transfer; value: bytes.
        case bytesSent = 18
        /// Span, on one thread. Deserialization of a body; subject: the operation or task; text:
        /// the serializer.
        case serialization = 19
        /// Span. A session's task from resume to completion; text: method and URL.
        case sessionTask = 20
        /// Instant. A session task's state; text: "resumed", "suspended", "cancelled".
        case sessionTaskState = 21
        /// Span. A connection as the server sees it; subject: the connection; value: its
        /// descriptor.
        case serverConnection = 22
        /// Span. A request as the server sees it; subject: the connection; value at its end: HTTP
        /// status; text: method and path.
        case serverExchange = 23
        /// Instant. An operation is added to a queue; subject: the operation.
        case enqueued = 24
        /// Instant. A remark of the program; text: the remark.
        case note = 25
        /// Span. A request of RequestEra from its creation until its queue is resumed; text: method
        /// and URL.
        case request = 26
        /// Instant. Such a request changes its state; text: such as "resumed", "suspended",
        /// "cancelled", "retry", "no retry", "next attempt", "end posted", "queue opened".
        case requestState = 27
    }
}

extension Event.Kind {
    private static let names = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, String(describing: $0)) })
    private static let kinds = Dictionary(uniqueKeysWithValues: names.map { ($1, $0) })

    /// The kind's name in exports: "lockHold".
    public var name: String { Self.names[self] ?? "" }

    /// The kind of that name.
    public init?(name: String) {
        guard let kind = Self.kinds[name] else { return nil }
        self = kind
    }
}

extension Event.Phase {
    private static let names = ["instant", "begin", "end"]

    /// The phase's name in exports: "begin".
    public var name: String { Self.names[Int(rawValue)] }

    /// The phase of that name.
    public init?(name: String) {
        guard let phase = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = phase
    }
}
