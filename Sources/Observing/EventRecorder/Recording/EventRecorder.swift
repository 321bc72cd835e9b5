public import CEvents
import Synchronization

/// The one recorder of this process: what happened, when, on which thread.
///
/// Off it costs one relaxed load and one branch, and no argument's text is made. On, an event costs
/// a look at the clock and 40 bytes in a log that its thread alone writes; a lock only for each
/// 1,024th.
///
/// - Events beyond the capacity are counted and dropped; none is ever overwritten.
/// - Texts beyond their room are counted and left out: "(text left out)" stands in their place
///   (``Recording/textsLeftOut``). They go with the recording, or its last copy.
/// - A span that began before `start` or ends after `stop` is cut: ``Recording/pairs()``. One on one
///   thread that began before is not seen at all.
///
/// ## Concurrency
/// Call from: any thread, also under a lock. Lock: none for most events; `start`, `stop` and an
/// `exchange` have one, and so has the making of a text (``EventText``). Calls out: never, but for
/// the arguments.
public enum EventRecorder {
    private static let numbers = Atomic<UInt64>(0)

    /// Whether events are kept now.
    @inlinable public static var isRecording: Bool { cevents_get_recording() != 0 }

    /// The recording that is made now, from 1; 0 where none is.
    @inlinable package static var recording: UInt32 { cevents_get_recording() }

    /// The time, as ``Event/time`` has it.
    package static var now: UInt64 { cevents_now() }

    /// Begins to record.
    ///
    /// - Parameter capacity: the most events to be kept, from 1 to 33,554,432, and the most exchanges;
    ///   what lies outside is moved to the nearer end. An event takes 40 bytes. A thread takes room
    ///   for a 256th of them at a time, 1,024 at most, so with several threads some may stay empty.
    /// - Parameter textBytes: the most bytes that the texts of events may take, each with 128 besides
    ///   its own, and again those of exchanges; by default 16 for each event of the capacity, and not
    ///   below 262,144. 16 MiB are some 90,000 addresses.
    /// - Throws: ``EventRecorderError/alreadyRecording``.
    public static func start(capacity: Int = 1 << 20, textBytes: Int? = nil) throws {
        try Recorder.start(capacity: capacity, textBytes: textBytes)
    }

    /// Ends the recording and gives its events in the order of their time: all those that happened
    /// before, by any order between threads.
    ///
    /// - Returns: the recording; an empty one if none was made.
    public static func stop() -> Recording {
        Recorder.stop()
    }

    /// A number for a subject, from 1; never twice in a process.
    public static func nextNumber() -> UInt64 {
        numbers.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Records a moment.
    @inlinable public static func instant(
        _ kind: Event.Kind, subject: UInt64 = 0, value: Int64 = 0,
        text: @autoclosure () -> EventText = .none
    ) {
        guard isRecording else { return }
        note(kind, .instant, subject: subject, value: value, text: text())
    }

    /// Records the beginning of a span.
    @inlinable public static func begin(
        _ kind: Event.Kind, subject: UInt64 = 0, value: Int64 = 0,
        text: @autoclosure () -> EventText = .none
    ) {
        guard isRecording else { return }
        note(kind, .begin, subject: subject, value: value, text: text())
    }

    /// Records the end of a span.
    @inlinable public static func end(
        _ kind: Event.Kind, subject: UInt64 = 0, value: Int64 = 0,
        text: @autoclosure () -> EventText = .none
    ) {
        guard isRecording else { return }
        note(kind, .end, subject: subject, value: value, text: text())
    }

    /// Records one exchange for ``Recording/har()``. Exchanges beyond the capacity, or beyond the bytes
    /// for the texts of exchanges, are counted as dropped.
    ///
    /// - Parameter record: made, and so redacted, by `stop`; what it needs is kept until then.
    public static func exchange(_ record: @autoclosure @escaping @Sendable () -> ExchangeRecord) {
        exchange(size: 0, record)
    }

    /// Records an event, while something is recorded.
    ///
    /// - Parameter time: when it happened, as turned out later; nil for now.
    /// - Returns: its time.
    @inline(never) @usableFromInline @discardableResult
    package static func note(
        _ kind: Event.Kind, _ phase: Event.Phase, subject: UInt64, value: Int64 = 0,
        text: EventText = .none, at time: UInt64? = nil
    ) -> UInt64 {
        let recording = recording
        let event = Event(
            time: time ?? now, subject: subject, value: value, text: text, kind: kind,
            phase: phase)
        EventLog.keep(event, of: recording)
        return event.time
    }
}

/// Why nothing is recorded.
public enum EventRecorderError: Error, Sendable, Equatable {
    /// A recording is under way already; a process has one recorder.
    case alreadyRecording
}
