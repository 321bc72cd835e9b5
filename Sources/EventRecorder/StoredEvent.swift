import Synchronization

/// An event as it is kept until the recording stops: 32 bytes, its time in ticks.
///
/// A span that is soon over is kept as its beginning and its length.
///
/// ## Concurrency
/// Call from: its thread writes, and ends a span; who stops a recording reads beside that, for which
/// what changes is an atomic.
struct StoredEvent: ~Copyable {
    private let time: UInt64
    private let subject: UInt64
    private let value: Int64
    private let text: UInt32
    /// Kind in bits 0 to 7, phase in 8 and 9, clock in 10, and in the others, where it is a span
    /// that is over, its ticks and one more.
    private let form: Atomic<UInt32>

    private static let phaseBit: UInt32 = 8
    private static let isInNanoseconds: UInt32 = 1 << 10
    private static let lengthBit: UInt32 = 11
    /// The ticks of the longest span that is kept as one event.
    static let longest: UInt64 = 1 << 21 - 2

    @inline(__always)
    init(
        _ kind: Event.Kind, _ phase: Event.Phase, subject: UInt64, value: Int64, text: EventText,
        at time: UInt64
    ) {
        self.time = time
        self.subject = subject
        self.value = value
        self.text = text.number
        form = Atomic(UInt32(kind.rawValue) | UInt32(phase.rawValue) << Self.phaseBit)
    }

    /// What turned out later to have happened at a time of the monotonic clock.
    static func late(
        _ kind: Event.Kind, _ phase: Event.Phase, subject: UInt64, text: EventText,
        atNanoseconds time: UInt64
    ) -> StoredEvent {
        let stored = StoredEvent(kind, phase, subject: subject, value: 0, text: text, at: time)
        stored.form.bitwiseOr(isInNanoseconds, ordering: .relaxed)
        return stored
    }

    /// Makes the beginning of a span the whole of it.
    ///
    /// - Returns: whether it is short enough for that.
    @inline(__always)
    func end(at end: UInt64) -> Bool {
        let ticks = end &- time
        guard ticks <= Self.longest else { return false }
        let beginning = form.load(ordering: .relaxed)
        form.store(beginning | UInt32(ticks + 1) << Self.lengthBit, ordering: .relaxed)
        return true
    }

    /// The event, or the beginning and the end of a span; in ticks.
    func unfolded(_ thread: UInt32, _ scale: TickScale) -> (Event, end: Event?)? {
        let form = form.load(ordering: .relaxed)
        guard let kind = Event.Kind(rawValue: UInt16(form & 0xFF)),
            let phase = Event.Phase(rawValue: UInt8(form >> Self.phaseBit & 3))
        else { return nil }
        let isLate = form & Self.isInNanoseconds != 0
        let first = Event(
            time: isLate ? scale.ticks(time) : time, subject: subject, value: value,
            text: EventText(number: text), thread: thread, kind: kind, phase: phase)
        let length = form >> Self.lengthBit
        guard length > 0 else { return (first, nil) }
        var last = first
        last.phase = .end
        last.time += UInt64(length) - 1
        return (first, last)
    }
}
