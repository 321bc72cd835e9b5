/// A site in the code at which a thread can be stopped: one of the recorder's events.
///
/// A member that is nil matches everything: `StopSite(.lockWait)` is where any thread begins or
/// ends to wait for any operation's lock.
public struct StopSite: Sendable, Hashable {
    /// What happens there.
    public var kind: Event.Kind
    /// An instant, or the begin or end of a span.
    public var phase: Event.Phase?
    /// The event's subject; an operation's number is in ``Event/subject``.
    public var subject: UInt64?
    /// The event's text, as ``Event/Kind`` says; "ready → executing".
    public var text: String?
    /// The kernel's name of the thread: 15 bytes at most, "main" for the first.
    public var thread: String?

    /// A site by the members of its events.
    public init(
        _ kind: Event.Kind, _ phase: Event.Phase? = nil, of subject: UInt64? = nil,
        text: String? = nil, on thread: String? = nil
    ) {
        self.kind = kind
        self.phase = phase
        self.subject = subject
        self.text = text
        self.thread = thread
    }

    func fits(_ step: StopStep) -> Bool {
        kind == step.kind && fits(phase, step.phase) && fits(subject, step.subject)
            && fits(text, step.text) && fits(thread, step.thread)
    }

    private func fits<Value: Equatable>(_ wanted: Value?, _ value: Value) -> Bool {
        wanted.map { $0 == value } ?? true
    }
}

/// A thread at a site.
public struct StopStep: Sendable, Hashable, CustomStringConvertible {
    /// The thread's name.
    public let thread: String
    /// What happens.
    public let kind: Event.Kind
    /// An instant, or the begin or end of a span.
    public let phase: Event.Phase
    /// The subject of the event; 0 for none.
    public let subject: UInt64
    /// The subject's name from ``StopPoints/name(_:_:)``; empty where it has none.
    public let name: String
    /// The event's text.
    public let text: String

    init(_ event: Event, name: String) {
        thread = ThreadName.ofCurrent(event.thread)
        (kind, phase, subject) = (event.kind, event.phase, event.subject)
        (self.name, text) = (name, event.text.string)
    }

    /// The step as text that is the same in each run: "caller: lockHold begin of first".
    public var description: String {
        var line = "\(thread): \(kind.name)"
        if phase != .instant { line += " " + phase.name }
        if !name.isEmpty { line += " of " + name }
        if !text.isEmpty { line += ", " + text }
        return line
    }
}
