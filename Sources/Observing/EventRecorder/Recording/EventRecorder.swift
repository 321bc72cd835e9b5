public import CEvents
import Synchronization

/// The recorder of this process: what happened, when, on which thread.
///
/// While off it costs one relaxed load and one branch, and no argument's text is evaluated. While
/// on, an event costs a clock reading and 40 bytes in a log that only its thread writes. With the
/// default capacity a thread locks once for every 1,024 events.
///
/// - Events beyond the capacity are counted and dropped; none is ever overwritten.
/// - Texts beyond their limit are counted and left out: "(text left out)" replaces them
///   (``Recording/textsLeftOut``). They are freed with the recording, or its last copy.
/// - A span that began before `start` or ends after `stop` is cut off: ``Recording/pairs()``. One
///   on a single thread that began before is not recorded at all.
///
/// ## Concurrency
/// Call from: any thread, also under a lock. Lock: none for most events; `start`, `stop`,
/// `exchange` and making a text (``EventText``) take one. Calls out: to evaluate the arguments, and on
/// the event's thread to each ``StallWatch`` and ``StopPoints``; a ``Stop`` may stop that thread.
public enum EventRecorder {
    private static let numbers = Atomic<UInt64>(0)

    /// Whether events are recorded now.
    @inlinable public static var isRecording: Bool { cevents_get_recording() != 0 }

    /// The number of the current recording, from 1; 0 where there is none.
    @inlinable package static var recording: UInt32 { cevents_get_recording() }

    /// The time by the clock of ``Event/time``.
    package static var now: UInt64 { cevents_now() }

    /// Begins to record.
    ///
    /// - Parameter capacity: the most events to record, from 1 to 33,554,432, and the most
    ///   exchanges; other values are clamped. An event takes 40 bytes. A thread reserves a 256th of
    ///   them at a time, 1,024 at most, so with several threads some may stay unused.
    /// - Parameter textBytes: the most bytes for the texts of events, each counted with 128 extra,
    ///   and the same again for those of exchanges. The default is 16 for each event of the
    ///   capacity, and at least 262,144; 16 MiB are about 90,000 URLs.
    /// - Throws: ``EventRecorderError/alreadyRecording``.
    public static func start(capacity: Int = 1 << 20, textBytes: Int? = nil) throws {
        try Recorder.start(capacity: capacity, textBytes: textBytes)
    }

    /// Ends the recording and returns its events sorted by time. Events that other threads record
    /// meanwhile may be missing.
    ///
    /// - Returns: the recording; an empty one if none was made.
    public static func stop() -> Recording {
        Recorder.stop()
    }

    /// A number for a subject, from 1; unique in a process.
    public static func nextNumber() -> UInt64 {
        numbers.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Records an instant.
    @inlinable public static func instant(
        _ kind: Event.Kind, subject: UInt64 = 0, value: Int64 = 0,
        text: @autoclosure () -> EventText = .none
    ) {
        guard isRecording else { return }
        note(kind, .instant, subject: subject, value: value, text: text())
    }

    /// Records the begin of a span.
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

    /// Records one exchange for ``Recording/har()``. Exchanges beyond the capacity, or beyond the
    /// bytes for their texts, are counted as dropped.
    ///
    /// - Parameter record: evaluated, and redacted, by `stop`; what it captures is retained until
    ///   then.
    public static func exchange(_ record: @autoclosure @escaping @Sendable () -> ExchangeRecord) {
        exchange(size: 0, record)
    }

    /// Records an event while a recording is made.
    ///
    /// - Parameter time: when it happened, where that was found out later; nil for now.
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
    /// A recording is already being made; a process has one recorder.
    case alreadyRecording
}
